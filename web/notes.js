// One note that shows what a number means: on hover, on focus, on tap; Escape closes it.
const note = document.getElementById('note');
let noteOwner = null;
let pinned = false;

// A word or number that has a note; `lines` makes [name, text] pairs when it is first asked for.
function term(text, lines, attributes) {
  const button = h('button', {type: 'button', class: 'term', ...attributes}, text);
  button.noteLines = lines;
  return button;
}

function showNote(button) {
  noteOwner = button;
  note.replaceChildren(h('dl', {}, button.noteLines()
      .filter(([, value]) => known(value) && value !== '')
      .map(([name, value]) => [h('dt', {}, name), h('dd', {}, value)])));
  note.hidden = false;
  button.setAttribute('aria-describedby', 'note');
  const box = button.getBoundingClientRect();
  const width = Math.min(380, document.documentElement.clientWidth - 24);
  note.style.width = `${width}px`;
  const left = Math.max(12, Math.min(box.left, document.documentElement.clientWidth - width - 12));
  const below = box.bottom + 6;
  const fits = below + note.offsetHeight < window.innerHeight || box.top < note.offsetHeight;
  note.style.left = `${left + window.scrollX}px`;
  note.style.top = `${(fits ? below : box.top - note.offsetHeight - 6) + window.scrollY}px`;
}

function hideNote() {
  if (!noteOwner) return;
  noteOwner.removeAttribute('aria-describedby');
  noteOwner = null;
  pinned = false;
  note.hidden = true;
}

const termOf = (event) => event.target instanceof Element && event.target.closest('.term');
document.addEventListener('mouseover', (event) => {
  const button = termOf(event);
  if (button && button !== noteOwner && !pinned) showNote(button);
});
document.addEventListener('mouseout', (event) => {
  if (termOf(event) && !pinned && document.activeElement !== noteOwner) hideNote();
});
document.addEventListener('focusin', (event) => {
  const button = termOf(event);
  if (button) showNote(button);
});
document.addEventListener('focusout', () => {
  if (!pinned) hideNote();
});
document.addEventListener('click', (event) => {
  const button = termOf(event);
  if (button) {
    showNote(button);
    pinned = true;
  } else if (!note.contains(event.target)) {
    hideNote();
  }
});
document.addEventListener('keydown', (event) => {
  if (event.key === 'Escape') hideNote();
});

// All that is needed to read one number without the program.
function rowNote(row) {
  return [
    ['Metric', row.metric],
    ['What', page.definitions[row.metric]],
    ['Direction', direction(row)],
    ['Value', known(row.value) ? number(row.value) : 'undefined'],
    ['Interval', known(row.lower) && known(row.upper)
        ? `${range(row.lower, row.upper)} (${row.interval})` : ''],
    ['Retrained', known(row.reference) ? number(row.reference) : ''],
    ['n', String(row.n)],
    ['Status', row.note ? `${row.status}: ${row.note}` : row.status],
    ['Control', roles[row.control] || ''],
    ['Setting', row.settings],
    ['Facts', row.facts],
    ['Seed', String(row.seed)],
  ];
}

function metricNote(row) {
  return [
    ['What', page.definitions[row.metric] || 'no definition in this program'],
    ['Direction', direction(row)],
    ['Setting', row.settings],
    ['Interval', row.interval],
  ];
}
