// The forget examples that are remembered most, with their pictures where the evidence has them.
function picture(image, label, size = 84) {
  const {width, height, channels = 1} = image;
  const canvas = h('canvas', {width, height, role: 'img', 'aria-label': label, title: label});
  canvas.style.width = `${size}px`;
  let bytes;
  try {
    bytes = Uint8Array.from(atob(image.pixels), (character) => character.charCodeAt(0));
  } catch {
    bytes = [];
  }
  if (bytes.length !== width * height * channels || bytes.length === 0) {
    return h('span', {class: 'quiet'}, 'picture damaged');
  }
  const context = canvas.getContext('2d');
  const pixels = context.createImageData(width, height);
  for (let i = 0; i < width * height; ++i) {
    for (let c = 0; c < 3; ++c) {
      pixels.data[4 * i + c] = bytes[channels === 1 ? i : channels * i + Math.min(c, channels - 1)];
    }
    pixels.data[4 * i + 3] = 255;
  }
  context.putImageData(pixels, 0, 0);
  return canvas;
}

function pictureTiles(entry, row) {
  const maps = Object.entries(fields(entry.maps));
  const cell = (name, image, label) => h('figure', {class: 'tile'}, picture(image, label),
                                         h('figcaption', {}, name));
  return h('div', {class: 'tiles', id: rowPlace(entry.row), tabindex: '-1'},
      h('p', {class: 'tiles-name'}, `Example ${entry.row}`, row && known(row.label)
          ? h('span', {class: 'quiet'}, ` label ${row.label}`) : null),
      cell('picture', entry.image, `Picture of forget example ${entry.row}`),
      maps.map(([model, map]) => cell(model.replace(/^unlearned\//, ''), map,
          `Grad-CAM of ${model} on example ${entry.row}: bright is where the model looked`)));
}

function remembered() {
  const own = fields(page.remembered);
  const rows = list(own.rows);
  if (rows.length === 0) return null;
  const columns = list(own.columns);
  const pictures = list(own.pictures).filter((entry) => entry && entry.image && !entry.samples);
  const byRow = new Map(rows.map((row) => [row.row, row]));
  const shown = new Set([...pictures, ...list(own.texts)].map((entry) => entry.row));
  const has = (key) => rows.some((row) => known(row[key]) && row[key] !== '');
  const column = (title, value, numeric = false) => ({title, value, numeric});
  return section('remembered', `The ${own.split || 'forget'} examples that are remembered most`,
      h('p', {}, 'Most remembered first, by the mean rank over those scores of the methods for which a ' +
          'better direction is defined. A high place means that this example scores worse than others, ' +
          'not that it is remembered; compare its scores with those of the retrained model. Every ' +
          'example is in samples.csv.'),
      heatMap(rows, columns, shown),
      rowTexts(own, byRow),
      pictures.length === 0 ? null : h('div', {class: 'wide'},
          h('p', {}, 'Maps show where a model looks to find the label (Grad-CAM); bright is ' +
              'important. A map of the unlearned model that looks like the original’s and unlike ' +
              'the retrained’s is a trace.'),
          pictures.map((entry) => pictureTiles(entry, byRow.get(entry.row)))),
      details('All scores of these examples', table({
        caption: `The ${plural(rows.length, 'example')} that are remembered most, with their scores`,
        name: 'remembered examples',
        rows, filter: rows.length > 12, pageSize: 25,
        columns: [
          {title: 'example', value: (row) => row.row, numeric: true},
          has('id') ? column('id', (row) => row.id) : null,
          has('label') ? column('label', (row) => row.label) : null,
          has('subject') ? column('subject', (row) => row.subject) : null,
          ...columns.map((name, index) => column(name, (row) => list(row.scores)[index], true)),
        ].filter(Boolean),
      })));
}

// What generative models made by themselves, all from the same noise.
function samples() {
  const grids = list(fields(page.remembered).pictures)
      .filter((entry) => entry && entry.image && entry.samples);
  if (grids.length === 0) return null;
  return section('samples', 'Samples',
      h('p', {}, 'What each model generates. All models start from the same noise, so two models that ' +
          'learned the same make the same picture in the same place.'),
      h('div', {class: 'tiles'}, grids.map((entry) => h('figure', {class: 'tile'},
          picture(entry.image, `Samples of ${entry.samples}`, 240),
          h('figcaption', {}, entry.samples.replace(/^unlearned\./, ''))))));
}
