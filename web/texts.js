// Texts of the forget examples that are remembered most, with what models went on to say.
const rowPlace = (row) => `row-${row}`;

// An example of the map opens its text or picture: unfolds it, goes there, and puts the focus on it.
function openRow(row) {
  const place = document.getElementById(rowPlace(row));
  if (!place) return;
  if (place.tagName === 'DETAILS') place.open = true;
  (place.querySelector('summary') || place).focus();
  place.scrollIntoView({block: 'center'});
}

// What a model says, with the words marked that stand so in the truth, from the first one on.
function said(text, truth) {
  const words = String(text).split(/(?<=\s)/), right = String(truth || '').split(/(?<=\s)/);
  let same = 0;
  while (same < words.length && same < right.length && words[same].trim() === right[same].trim()) ++same;
  return [same === 0 ? null : h('mark', {}, words.slice(0, same).join('').trimEnd()),
          `${same === 0 ? '' : ' '}${words.slice(same).join('')}`];
}

function rowText(entry, row) {
  const text = String(entry.text || '');
  const models = list(entry.said);
  const spoken = models.map(({model, text: own}) => [String(model).replace(/^unlearned\//, ''),
                                                     said(own, entry.continuation)]);
  return h('details', {class: 'row-text', id: rowPlace(entry.row)},
      h('summary', {}, `Example ${entry.row}${row && row.id ? ` (${row.id})` : ''}: `,
        h('span', {class: 'start'}, text.length > 90 ? `${text.slice(0, 90).trimEnd()}…` : text)),
      h('blockquote', {}, text),
      entry.continuation || spoken.length ? facts([
        ['what follows', entry.continuation], ...spoken]) : null);
}

function rowTexts(own, byRow) {
  const texts = list(own.texts).filter((entry) => entry && known(entry.row));
  if (texts.length === 0) return null;
  const speak = texts.some((entry) => list(entry.said).length > 0);
  return h('div', {class: 'texts'},
      h('h3', {}, `Texts of the first ${plural(texts.length, 'example')}`),
      h('p', {}, 'In the same order; long texts are cut. ' + (speak
          ? 'Below each are the true continuation and those that models generated; words that match the ' +
            'true ones from the start are marked. Words that the original gives and retrained does not are a trace.'
          : 'The whole texts are in the evidence.')),
      texts.map((entry) => rowText(entry, byRow.get(entry.row))));
}
