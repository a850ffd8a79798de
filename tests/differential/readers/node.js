// How an application on Node.js reads a request: its own parser of messages, URLSearchParams, querystring, JSON.parse and the
// FormData of its web interfaces. Frames are those of frames.py.
'use strict';
const http = require('node:http');
const zlib = require('node:zlib');
const querystring = require('node:querystring');
const { Duplex } = require('node:stream');

class Fields {
  constructor() { this.parts = []; }
  add(place, name, value) {
    const parts = [Buffer.from(name), Buffer.from(value)];
    this.parts.push(Buffer.from(place));
    for (const part of parts) {
      const length = Buffer.alloc(4);
      length.writeUInt32BE(part.length);
      this.parts.push(length, part);
    }
  }
  tree(value, depth = 0) {
    if (typeof value === 'string') this.add('j', '', value);
    if (value === null || typeof value !== 'object' || depth > 64) return;
    for (const [name, below] of Object.entries(value)) {
      if (!Array.isArray(value)) this.add('n', '', name);
      this.tree(below, depth + 1);
    }
  }
  pairs(place, text) {
    for (const [name, value] of new URLSearchParams(text)) this.add(place, name, value);
    for (const [name, values] of Object.entries(querystring.parse(text))) {
      for (const value of [values].flat()) this.add(place, name, value);
    }
  }
}

const attempt = async (step) => { try { await step(); } catch { /* its way to refuse */ } };

async function body(fields, headers, raw) {
  const type = headers['content-type'] ?? '';
  const bytes = /^\s*(x-)?gzip\s*$/i.test(headers['content-encoding'] ?? '') ? zlib.gunzipSync(raw) : raw;
  if (/^\s*application\/([^\s;]+\+)?json\s*(;|$)/i.test(type)) {
    await attempt(() => fields.tree(JSON.parse(bytes.toString())));
    await attempt(async () => fields.tree(await new Response(bytes).json()));
  }
  if (/^\s*application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) fields.pairs('f', bytes.toString());
  if (/^\s*multipart\//i.test(type)) {
    await attempt(async () => {
      for (const [name, value] of await new Response(bytes, { headers: { 'content-type': type } }).formData()) {
        fields.add('n', '', name);
        if (typeof value === 'string') fields.add('f', name, value); else { fields.add('F', name, value.name); fields.add('p', 'type', value.type); }
      }
    });
  }
}

function handle(fields, request, raw) {
  const [path, ...rest] = request.url.split('?');
  const query = rest.join('?').split('#')[0];
  for (let at = 0; at + 1 < request.rawHeaders.length; at += 2) fields.add('h', request.rawHeaders[at], request.rawHeaders[at + 1]);
  fields.pairs('q', query);
  for (const pair of (request.headers.cookie ?? '').split(';')) {
    const at = pair.indexOf('=');
    let value = pair.slice(at + 1).trim();
    if (value.startsWith('"')) value = value.slice(1, -1);
    try { value = decodeURIComponent(value); } catch { /* as it is */ }
    fields.add('c', pair.slice(0, Math.max(at, 0)).trim(), value);
  }
  try { fields.add('P', '', decodeURIComponent(path)); } catch { fields.add('P', '', path); }
  return raw.length ? attempt(() => body(fields, request.headers, raw)) : undefined;
}

function read(raw) {
  const fields = new Fields();
  return new Promise((resolve) => {
    const server = http.createServer({ keepAlive: false }, (request, response) => {
      const pieces = [];
      request.on('data', (piece) => pieces.push(piece));
      request.on('end', async () => { await attempt(() => handle(fields, request, Buffer.concat(pieces))); response.destroy(); done(); });
      request.on('error', done);
    });
    // The end of the bytes must not end a reading that still works on them.
    server.httpAllowHalfOpen = true;
    const late = setTimeout(() => done(), 2000);
    let over = false;
    const stream = new Duplex({ read() {}, write(_, __, next) { next(); } });
    const done = () => { if (!over) { over = true; clearTimeout(late); stream.destroy(); resolve(Buffer.concat(fields.parts)); } };
    server.on('clientError', done);
    stream.on('close', done);
    stream.on('error', done);
    server.emit('connection', stream);
    stream.push(raw);
    stream.push(null);
  });
}

async function answer(batch) {
  const out = [];
  for (let at = 0; at < batch.length;) {
    const size = batch.readUInt32BE(at);
    const found = await read(batch.subarray(at + 4, at + 4 + size));
    const length = Buffer.alloc(4);
    length.writeUInt32BE(found.length);
    out.push(length, found);
    at += 4 + size;
  }
  const all = Buffer.concat(out);
  const length = Buffer.alloc(4);
  length.writeUInt32BE(all.length);
  process.stdout.write(Buffer.concat([length, all]));
}

let waiting = Buffer.alloc(0);
let turn = Promise.resolve();
process.stdin.on('data', (piece) => {
  waiting = Buffer.concat([waiting, piece]);
  while (waiting.length >= 4 && waiting.length >= 4 + waiting.readUInt32BE(0)) {
    const end = 4 + waiting.readUInt32BE(0);
    const batch = waiting.subarray(4, end);
    waiting = waiting.subarray(end);
    turn = turn.then(() => answer(batch));
  }
});
