// Verdicts per erasure request, worst first, and twins of forgotten rows among what was kept.
function requestTable(method) {
  const rows = list(method.requests);
  const column = (title, value, numeric = false) => ({title, value, numeric});
  const has = (key) => rows.some((row) => known(row[key]) && row[key] !== '');
  return [
    h('h3', {}, method.method),
    h('p', {}, known(method.rows_needed)
        ? `A request needs about ${plural(method.rows_needed, 'row')} before a full memory of it would be seen.`
        : 'How many rows a request needs is not known: no original, or it knows the rows no better.'),
    table({
      caption: `${plural(rows.length, 'request')} under ${method.method}, worst first`,
      name: `requests of ${method.method}`,
      rows, filter: rows.length > 12, pageSize: 25,
      columns: [
        column('request', (row) => row.request),
        has('subject') ? column('subject', (row) => row.subject) : null,
        has('date') ? column('date', (row) => row.date) : null,
        column('rows', (row) => row.rows, true),
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
  const twins = list(own.near_duplicates);
  if (!own.signal && !own.missing) return null;
  return section('requests', 'Erasure requests',
      own.missing ? h('p', {}, `Not judged: ${own.missing}.`) : h('p', {},
          `Mean over a request’s rows of ${own.signal}, method minus retrained, ranked among draws of as ` +
          'many rows that nobody saw. p is adjusted over the requests (Benjamini and Hochberg); the ' +
          `declared level is ${own.level}. Where the power is below ${own.power}, finding nothing says ` +
          'nothing: it cannot be decided. All of it is in requests.csv.'),
      list(own.methods).map(requestTable),
      twins.length === 0 ? null : [
        h('h3', {}, 'Twins that were kept'),
        h('p', {}, 'These forget rows nearly equal a retain row. They cannot be forgotten while their ' +
            'twin stays.'),
        table({caption: `${plural(twins.length, 'forget row')} with a twin in retain`,
               name: 'twins', rows: twins, filter: twins.length > 12, pageSize: 25,
               columns: [
                 {title: 'forget row', value: (row) => row.forget, numeric: true},
                 {title: 'retain row', value: (row) => row.retain, numeric: true},
                 {title: 'similarity', value: (row) => row.similarity, numeric: true},
                 {title: 'by', value: (row) => row.by},
               ]}),
      ]);
}
