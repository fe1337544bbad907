// The results inside the page, unpacked: columns become rows (vestige/report/page/page_data.h).
const page = JSON.parse(document.getElementById('results').textContent);

function unpack(packed) {
  const rows = Array.from({length: packed.n}, () => ({}));
  for (const [key, column] of Object.entries(packed.columns)) {
    const at = Array.isArray(column) ? (i) => column[i]
        : 'all' in column            ? () => column.all
                                     : (i) => column.names[column.at[i]];
    for (let i = 0; i < packed.n; ++i) rows[i][key] = at(i);
  }
  return rows;
}

const list = (value) => (Array.isArray(value) ? value : []);
const fields = (value) => (value && typeof value === 'object' ? value : {});
const allRows = unpack(page.rows);
