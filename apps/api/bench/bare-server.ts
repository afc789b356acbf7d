import { createServer } from 'node:http';
import { Pool } from 'pg';

// The baseline: node:http with one prepared query by pg that returns the same rows. Arguments: database URL, port.

const [databaseUrl, port] = process.argv.slice(2);
const pool = new Pool({ connectionString: databaseUrl, max: 10 });

const OPERATION = { name: 'operation', text: 'SELECT * FROM operation WHERE id = $1' };
const PAGE = {
  name: 'page',
  text: `SELECT o.* FROM (
           SELECT operation_id, sequence FROM operation_party
           WHERE address = $1 AND sequence <= (SELECT total - $2::bigint FROM party_counter WHERE address = $1)
           ORDER BY sequence DESC LIMIT 10) place
         CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.operation_id OFFSET 0) o
         ORDER BY place.sequence DESC`,
};

/** The console's searches, each by the one index it needs. */
const SEARCHES: Readonly<Record<string, { readonly name: string; readonly text: string }>> = {
  id: OPERATION,
  origin: { name: 'origin', text: 'SELECT * FROM operation WHERE origin_tx_hash = $1' },
  sender: {
    name: 'sender',
    text: `SELECT o.* FROM (
             SELECT operation_id, sequence FROM operation_party WHERE address = $1 ORDER BY sequence DESC LIMIT 50) place
           CROSS JOIN LATERAL (SELECT * FROM operation WHERE id = place.operation_id OFFSET 0) o
           ORDER BY place.sequence DESC`,
  },
};

/** Reads the rows that an API request would return. */
async function readRows(query: URLSearchParams): Promise<unknown[]> {
  const search = SEARCHES[query.get('by') ?? ''];
  if (search !== undefined) return (await pool.query({ ...search, values: [query.get('value')] })).rows;
  const id = query.get('depositId') ?? query.get('withdrawId');
  if (id !== null) return (await pool.query({ ...OPERATION, values: [id] })).rows;
  return (await pool.query({ ...PAGE, values: [query.get('address'), query.get('offset') ?? '0'] })).rows;
}

createServer((request, response) => {
  const { searchParams, pathname } = new URL(request.url ?? '/', 'http://localhost');
  const send = (body: string) => {
    response.writeHead(200, { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) });
    response.end(body);
  };
  if (pathname.endsWith('/fee-quote')) send('{"constant":true}');
  else void readRows(searchParams).then((rows) => send(JSON.stringify(rows)));
}).listen(Number(port), '127.0.0.1', () => process.send?.('listening'));
