import { request as httpRequest, type OutgoingHttpHeaders } from "node:http";
import { connect } from "node:net";
import { once } from "node:events";
import { setImmediate } from "node:timers/promises";
import { afterEach, expect, test, vi } from "vitest";
import { TsbuilderError } from "../../shared/errors.ts";
import type { Finding } from "../record/findings/finding.ts";
import { RecentRecord } from "../record/recent-record.ts";
import { lineOf } from "../record/record-line.ts";
import { madeReconcile } from "../record/testdata/made-records.ts";
import type { PageActions } from "./page-action.ts";
import { type Page, startPage } from "./page-server.ts";

let page: Page | undefined;
let record: RecentRecord;
afterEach(() => {
  vi.useRealTimers();
  return page?.stop();
});

const at = "2026-01-01T00:00:00.000Z";
const script = "console.log(1)";
const assets = new Map([
  ["/", { type: "text/html; charset=utf-8", body: "<!doctype html>" }],
  ["/page.js", { type: "text/javascript", body: script }],
  ["/page.css", { type: "text/css", body: "a {}", brotli: Buffer.from("compressed") }],
]);

async function start(actions?: PageActions, most?: number): Promise<{ port: number; token: string }> {
  record = new RecentRecord(most);
  record.open(lineOf({ type: "session", at }));
  page = await startPage({ assets, record, actions });
  const { port, hash } = new URL(page.url);
  return { port: Number(port), token: hash.slice(1) };
}

interface Asked {
  readonly method?: string;
  readonly headers?: OutgoingHttpHeaders;
  readonly body?: string;
}

interface Answered {
  readonly code: number | undefined;
  readonly headers: OutgoingHttpHeaders;
  readonly text: string;
}

/** Sends a request with any Host header, which `fetch` does not allow. */
function ask(
  port: number,
  path: string,
  { method = "GET", headers = {}, body }: Asked = {},
): Promise<Answered> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(
      { host: "127.0.0.1", port, path, method, headers, agent: false },
      (response) => {
        const parts: Buffer[] = [];
        response.on("data", (part: Buffer) => parts.push(part));
        const answered = () =>
          resolve({
            code: response.statusCode,
            headers: response.headers,
            text: Buffer.concat(parts).toString(),
          });
        response.on("end", answered);
        response.on("error", reject);
      },
    );
    request.on("error", reject);
    request.end(body);
  });
}

const hello = async (input: unknown): Promise<unknown> => ({ hello: input });
const json = { "content-type": "application/json" };

test("files need no token, and every answer has the headers that keep other pages out", async () => {
  const { port } = await start();
  const answers = [await ask(port, "/page.js"), await ask(port, "/record"), await ask(port, "/nothing")];
  expect(answers.map(({ code }) => code)).toEqual([200, 401, 401]);
  expect(answers[0]).toMatchObject({ text: script, headers: { "content-type": "text/javascript" } });
  for (const { headers } of answers) {
    expect(headers).toMatchObject({
      "content-security-policy": expect.stringMatching(
        /^default-src 'none'; script-src 'self';.*frame-ancestors 'none'$/,
      ),
      "x-content-type-options": "nosniff",
      "referrer-policy": "no-referrer",
      "cross-origin-resource-policy": "same-origin",
      "cross-origin-opener-policy": "same-origin",
      "cache-control": "no-store",
    });
    expect(headers).not.toHaveProperty("access-control-allow-origin");
  }
});

test.each<[string, number, Asked & { path?: string; token?: string | null; evil?: OutgoingHttpHeaders }]>([
  ["no token", 401, { token: null }],
  ["another token", 401, { token: "x".repeat(43) }],
  [
    "no token for an action",
    401,
    { token: null, path: "/actions/hello", method: "POST", headers: json, body: "{}" },
  ],
  ["the page of another site", 403, { headers: { origin: "https://evil.example" } }],
  ["a page on another port", 403, { headers: { origin: "http://127.0.0.1:1" } }],
  ["a page without an origin", 403, { headers: { origin: "null" } }],
  ["a script of another site", 403, { headers: { "sec-fetch-site": "cross-site" } }],
  ["a page on another port of this machine", 403, { headers: { "sec-fetch-site": "same-site" } }],
  ["a name that another site has pointed here", 403, { headers: { host: "evil.example" } }],
  ["that with the right port", 403, { headers: { host: "evil.example:PORT" } }],
  ["a file for a name that was pointed here", 403, { path: "/", headers: { host: "evil.example:PORT" } }],
  ["a GET of an action", 405, { path: "/actions/hello" }],
  ["a POST of the record", 405, { path: "/record", method: "POST", headers: json, body: "{}" }],
  ["a POST of a file", 405, { path: "/", method: "POST" }],
  ["an unknown action", 404, { path: "/actions/toString", method: "POST", headers: json, body: "{}" }],
  ["an action of no own", 404, { path: "/actions/constructor", method: "POST", headers: json, body: "{}" }],
  ["another path", 404, { path: "/record/more" }],
  ["a URL instead of a path", 404, { path: "http://[" }],
  [
    "a form",
    415,
    { path: "/actions/hello", method: "POST", headers: { "content-type": "text/plain" }, body: "{}" },
  ],
  ["no content type", 415, { path: "/actions/hello", method: "POST", body: "{}" }],
  ["no JSON", 400, { path: "/actions/hello", method: "POST", headers: json, body: "{" }],
  [
    "a large body",
    413,
    { path: "/actions/hello", method: "POST", headers: json, body: `"${"x".repeat(5 << 20)}"` },
  ],
])("%s is refused with %i", async (_, code, { path = "/record", token, headers = {}, ...asked }) => {
  const calls: unknown[] = [];
  const { port, token: own } = await start({ hello: async (input) => calls.push(input) });
  const authorization = token === null ? {} : { authorization: `Bearer ${token ?? own}` };
  const placed = Object.fromEntries(
    Object.entries(headers).map(([name, value]) => [name, String(value).replace("PORT", String(port))]),
  );
  const answered = await ask(port, path, { ...asked, headers: { ...authorization, ...placed } });
  expect(answered.code).toBe(code);
  expect(answered.text).not.toContain("session");
  expect(answered.text).not.toContain(own);
  expect(calls).toEqual([]);
});

test("tokens of two pages differ", async () => {
  const { token } = await start();
  await page!.stop();
  expect((await start()).token).not.toBe(token);
  expect(Buffer.from(token, "base64url")).toHaveLength(32);
});

test.each(["127.0.0.1", "localhost"])("the page itself, at %s, reads and acts", async (host) => {
  const { port, token } = await start({ hello });
  const headers = {
    host: `${host}:${port}`,
    origin: `http://${host}:${port}`,
    "sec-fetch-site": "same-origin",
    authorization: `Bearer ${token}`,
    "content-type": "application/json; charset=utf-8",
  };
  const { code, text } = await ask(port, "/actions/hello", { method: "POST", headers, body: '{"a":1}' });
  expect([code, JSON.parse(text)]).toEqual([200, { hello: { a: 1 } }]);
});

test("an action that fails says why, with a hint", async () => {
  const { port, token } = await start({
    refuse: async () => {
      throw new TsbuilderError("no", { code: "REFUSED", hint: "do this" });
    },
    reject: async () => {
      const body = {
        message: "invalid",
        details: { causes: [{ reason: "a", field: "spec.a", message: "bad" }] },
      };
      throw Object.assign(new Error("PUT /x: invalid"), { name: "ApiError", status: 422, body });
    },
    break: async () => {
      throw new Error("broken");
    },
  });
  const headers = { ...json, authorization: `Bearer ${token}` };
  const answers = [];
  for (const name of ["refuse", "reject", "break"]) {
    const { code, text } = await ask(port, `/actions/${name}`, { method: "POST", headers, body: "{}" });
    answers.push([code, JSON.parse(text)]);
  }
  expect(answers).toEqual([
    [400, { message: "no", hint: "do this" }],
    [422, { message: "invalid", causes: [{ field: "spec.a", message: "bad" }] }],
    [500, { message: "broken" }],
  ]);
});

interface Line {
  readonly type: string;
  readonly at?: string;
  readonly text?: string;
  readonly added?: readonly (readonly [number, { readonly title: string }])[];
  readonly gone?: readonly number[];
}

/** Reads the record until a line satisfies a condition. */
async function readUntil(lines: AsyncIterator<Line>, last: (line: Line) => boolean): Promise<Line[]> {
  const read: Line[] = [];
  for (;;) {
    const next = await lines.next();
    if (next.done) return read;
    read.push(next.value);
    if (last(next.value)) return read;
  }
}

async function* linesOf(port: number, token: string): AsyncGenerator<Line> {
  const response = await fetch(`http://127.0.0.1:${port}/record`, {
    headers: { authorization: `Bearer ${token}` },
  });
  expect(response.headers.get("content-type")).toBe("application/x-ndjson");
  let begun = "";
  const decoder = new TextDecoder();
  for await (const part of response.body!) {
    const lines = (begun + decoder.decode(part, { stream: true })).split("\n");
    begun = lines.pop()!;
    for (const line of lines) yield JSON.parse(line) as Line;
  }
  expect(begun).toBe("");
}

function say(text: string): void {
  record.add(lineOf({ type: "dev", at, text } as Line & { at: string }));
}

test("a late reader gets what was before, then the names of the actions, and then what follows", async () => {
  const { port, token } = await start({ hello });
  for (let count = 0; count < 5000; count++) say(`größe ${count} ${"x".repeat(300)}`);
  const lines = linesOf(port, token);
  const before = await readUntil(lines, ({ type }) => type === "live");
  expect(before[0]).toEqual({ type: "session", at });
  expect(before.at(-1)).toEqual({ type: "live", actions: ["hello"] });
  expect(before.slice(1, -1).map(({ text }) => text?.split(" ")[1])).toEqual(
    Array.from({ length: 5000 }, (_, count) => String(count)),
  );
  say("later");
  expect(await readUntil(lines, ({ type }) => type === "dev")).toEqual([{ type: "dev", at, text: "later" }]);
  record.close();
  expect(await lines.next()).toEqual({ done: true, value: undefined });
});

test("a reader is told the findings so far, and then what has changed in them", async () => {
  const { port, token } = await start();
  const refused = (seconds: number, verb: string, path: string) =>
    record.findings.add(
      madeReconcile(seconds * 1000, {
        outcome: "error",
        error: "forbidden",
        requests: [{ method: verb, path: `/api/v1/namespaces/default/${path}`, code: "403", seconds: 0.1 }],
      }),
    );
  refused(1, "POST", "secrets");
  refused(2, "POST", "services");
  const lines = linesOf(port, token);
  const titles = ({ added = [] }: Line) => added.map(([number, { title }]) => `${number} ${title}`);
  const [, first] = await readUntil(lines, ({ type }) => type === "live");
  expect(titles(first!)).toEqual([
    "0 mysql is not allowed to create secrets",
    "1 mysql is not allowed to create services",
  ]);
  refused(3, "GET", "secrets/a");
  say("later");
  const later = await readUntil(lines, ({ type }) => type === "findings");
  expect(titles(later.at(-1)!)).toEqual(["2 mysql is not allowed to create and get secrets"]);
  expect(later.at(-1)!.gone).toEqual([0]);
});

test("of two findings with the same text, each is told once and taken back", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  let found = 2;
  const finding = (): Finding => ({
    kind: "conflicts",
    title: "",
    text: "",
    from: 0,
    at: 0,
    places: [],
    requests: [],
  });
  const findings = (): Finding[] => Array.from({ length: found }, finding);
  const live = (async function* () {
    for (const count of [2, 2, 0]) {
      found = count;
      yield Buffer.from('{"type":"dev"}\n');
    }
  })();
  page = await startPage({
    assets,
    record: { read: () => ({ past: [], live, findings, close: () => undefined }) },
  });
  const { port, hash } = new URL(page.url);
  const told: Line[] = [];
  for await (const line of linesOf(Number(port), hash.slice(1)))
    if (line.type === "findings") told.push(line);
  expect(told.map(({ added = [], gone }) => [added.map(([number]) => number), gone])).toEqual([
    [[0, 1], []],
    [[], [0, 1]],
  ]);
});

test("files are sent compressed to those who take that", async () => {
  const { port } = await start();
  const plain = await ask(port, "/page.css");
  const small = await ask(port, "/page.css", { headers: { "accept-encoding": "gzip, br" } });
  expect([plain.headers["content-encoding"], plain.text]).toEqual([undefined, "a {}"]);
  expect([small.headers["content-encoding"], small.text]).toEqual(["br", "compressed"]);
});

test("a record that is over ends", async () => {
  const past = [Buffer.from('{"type":"session"}\n')];
  page = await startPage({
    assets,
    record: { read: () => ({ past, live: undefined, findings: () => [], close: () => undefined }) },
  });
  const { port, hash } = new URL(page.url);
  const lines = linesOf(Number(port), hash.slice(1));
  expect(await readUntil(lines, () => false)).toEqual([{ type: "session" }, { type: "end" }]);
});

test("a reader that takes nothing is cut off, while another one reads on, and memory keeps its bound", async () => {
  const most = 4 << 20;
  const { port, token } = await start({}, most);
  const slow = connect(port, "127.0.0.1");
  slow.pause();
  slow.write(`GET /record HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${token}\r\n\r\n`);
  const closed = new Promise<void>((resolve) => slow.once("close", () => resolve()));
  const lines = linesOf(port, token);
  await readUntil(lines, ({ type }) => type === "live");
  const large = "x".repeat(100_000);
  for (let round = 0; round < 20; round++) {
    for (let count = 0; count < 20; count++) say(large);
    say(`end of ${round}`);
    await readUntil(lines, ({ text }) => text === `end of ${round}`);
  }
  expect(record.bytes).toBeLessThanOrEqual(most);
  // A socket that has read nothing sees the end only once it reads.
  let length = 0;
  slow.on("data", (part: Buffer) => (length += part.length));
  slow.on("error", () => undefined);
  slow.resume();
  await closed;
  expect(length).toBeLessThan(400 * large.length);
});

test("a stalled tab is told no findings until it reads, and then the last ones", async () => {
  vi.useFakeTimers({ toFake: ["setInterval", "clearInterval", "performance"] });
  let round = 0;
  const text = "x".repeat(100_000);
  const finding = (): Finding => ({
    kind: "conflicts",
    title: `${round}`,
    text,
    from: 0,
    at: round,
    places: [],
    requests: [],
  });
  const live = (async function* () {
    yield Buffer.from("\n");
    await new Promise<void>(() => undefined);
  })();
  page = await startPage({
    assets,
    record: { read: () => ({ past: [], live, findings: () => [finding()], close: () => undefined }) },
  });
  const { port, hash } = new URL(page.url);
  const slow = connect(Number(port), "127.0.0.1");
  slow.on("error", () => undefined);
  slow.write(
    `GET /record HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nauthorization: Bearer ${hash.slice(1)}\r\n\r\n`,
  );
  await once(slow, "readable");
  for (; round < 400; round++) {
    vi.advanceTimersByTime(1000);
    await setImmediate();
  }
  let [length, rest] = [0, ""];
  const isLast = new Promise<void>((resolve) =>
    slow.on("data", (part: Buffer) => {
      length += part.length;
      rest = (rest + part.toString()).slice(-300_000);
      vi.advanceTimersByTime(1000);
      if (rest.includes(`"title":"${round}"`)) resolve();
    }),
  );
  await isLast;
  slow.removeAllListeners("data").destroy();
  expect(length).toBeLessThan(200 * text.length);
});

test("a page that stops cuts its readers off", async () => {
  const { port, token } = await start();
  const lines = linesOf(port, token);
  await readUntil(lines, ({ type }) => type === "live");
  await page!.stop();
  await expect(lines.next()).rejects.toThrow();
  await expect(ask(port, "/")).rejects.toThrow("ECONNREFUSED");
});
