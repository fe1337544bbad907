// A map of forget examples by methods: where each example lies between retrained (0) and original (1).
const heatRows = 30;

// Scores that have columns of original and retrained ("iam.retrained", or "iam.retrained.0" of several models), with
// the methods beside them.
function heatScores(columns) {
  const scores = [];
  const place = (score, role) => columns.findIndex((name) => name === `${score}.${role}` ||
      name.startsWith(`${score}.${role}.`));
  for (const [index, name] of columns.entries()) {
    const found = /^(.+)\.retrained(\.[^.]+)?$/.exec(name);
    if (!found || scores.some(({score}) => score === found[1])) continue;
    const score = found[1], original = place(score, 'original');
    const methods = columns.filter((other) => other.startsWith(`${score}.`) &&
        !/^(original|retrained|constant_predictor|collapsed)(\.|$)/.test(other.slice(score.length + 1)));
    if (original >= 0 && methods.length > 0) {
      scores.push({score, retrained: index, original,
                   methods: methods.map((other) => [other.slice(score.length + 1), columns.indexOf(other)])});
    }
  }
  return scores;
}

// 0 is like retrained, 1 like the original; examples on which these two agree say nothing.
function heatPlace(row, score, column) {
  const at = (index) => list(row.scores)[index];
  const difference = at(score.original) - at(score.retrained);
  if (!known(at(column)) || !known(difference) || Math.abs(difference) < 0.02) return null;
  return (at(column) - at(score.retrained)) / difference;
}

function heatCell(row, score, [method, column]) {
  const place = heatPlace(row, score, column);
  const shown = place === null ? '' : Math.max(0, Math.min(1, place));
  return h('td', {class: place === null ? 'quiet' : '',
                  style: place === null ? '' : `--heat: ${Math.round(100 * shown)}%`,
                  title: `${method}, example ${row.row}: ${number(list(row.scores)[column])}`},
           place === null ? '–' : minus((Math.abs(place) < 0.05 ? 0 : place).toFixed(1)));
}

// `openable`: examples whose text or picture is on the page.
function heatMap(rows, columns, openable) {
  const score = heatScores(columns)[0];
  if (!score) return null;
  const drawn = rows.filter((row) => score.methods.some(([, column]) =>
      heatPlace(row, score, column) !== null)).slice(0, heatRows);
  if (drawn.length === 0) return null;
  const name = (row) => `${row.row}${row.id ? ` ${row.id}` : ''}${
      known(row.label) ? `, label ${row.label}` : ''}`;
  const head = (row) => (openable.has(row.row)
      ? h('button', {type: 'button', class: 'open-row', title: 'Show this example',
                     onclick: () => openRow(row.row)}, name(row)) : name(row));
  const table = h('table', {class: 'heat'},
      h('caption', {}, `${score.score}: 0 (green) is the score of the retrained model, 1 (orange) ` +
          'that of the original; – where the two agree'),
      h('thead', {}, h('tr', {}, h('th', {scope: 'col'}, 'example'),
                       score.methods.map(([method]) => h('th', {scope: 'col'}, method)))),
      h('tbody', {}, drawn.map((row) => h('tr', {}, h('th', {scope: 'row'}, head(row)),
                                         score.methods.map((own) => heatCell(row, score, own))))));
  arrows(table);
  return region('Map of forget examples', table);
}
