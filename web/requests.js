// Verdicts per erasure request, worst first, and near-duplicates of forget examples in the retain set.
function requestTable(method) {
  const rows = list(method.requests);
  const column = (title, value, numeric = false) => ({title, value, numeric});
  const has = (key) => rows.some((row) => known(row[key]) && row[key] !== '');
  return [
    h('h3', {}, method.method),
    h('p', {}, method.missing || (known(method.examples_needed)
        ? `A request needs about ${plural(method.examples_needed, 'example')} to be decided.`
        : 'It is not known how many examples a request needs: there is no original model, or it memorised nothing.')),
    table({
      caption: `${plural(rows.length, 'request')} under ${method.method}, worst first`,
      name: `requests of ${method.method}`,
      rows, filter: rows.length > 12, pageSize: 25,
      columns: [
        column('request', (row) => row.request),
        has('subject') ? column('subject', (row) => row.subject) : null,
        has('date') ? column('date', (row) => row.date) : null,
        column('examples', (row) => row.examples, true),
        column('verdict', (row) => row.word),
        column('share left', (row) => row.share, true),
        column('p, adjusted', (row) => row.adjusted, true),
        column('power', (row) => row.power, true),
      ].filter(Boolean),
    }),
  ];
}

function requests() {
  const own = fields(page.requests);
  const near = list(own.near_duplicates);
  if (!own.signal && !own.missing) return null;
  return section('requests', 'Erasure requests',
      h('p', {}, own.missing ? `Not tested. ${own.missing}` : own.how),
      list(own.methods).map(requestTable),
      near.length === 0 ? null : [
        h('h3', {}, 'Near-duplicates in the retain set'),
        h('p', {}, 'These forget examples nearly equal a retain example. They cannot be forgotten while it stays.'),
        table({caption: `${plural(near.length, 'forget example')} with a near-duplicate in the retain set`,
               name: 'near-duplicates', rows: near, filter: near.length > 12, pageSize: 25,
               columns: [
                 {title: 'forget example', value: (row) => row.forget, numeric: true},
                 {title: 'retain example', value: (row) => row.retain, numeric: true},
                 {title: 'similarity', value: (row) => row.similarity, numeric: true},
                 {title: 'by', value: (row) => [row.by, row.layer].filter(Boolean).join(' ')},
               ]}),
      ]);
}
