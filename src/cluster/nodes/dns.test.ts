import { createSocket } from "node:dgram";
import { once } from "node:events";
import { type AddressInfo, type Socket, connect, createServer } from "node:net";
import { buffer } from "node:stream/consumers";
import { expect, test } from "vitest";
import { answerQuery, serveNames, type NamedObjects } from "./dns.ts";

const types = { A: 1, PTR: 12, AAAA: 28, SRV: 33 };

/** The objects of a Service with an address, a headless one with two pods, and one that is another name. */
const objects = {
  services: [
    service("front", { clusterIP: "10.96.0.20", ports: [{ name: "http", port: 80, protocol: "TCP" }] }),
    service("web", { clusterIP: "None" }),
    service("other", { type: "ExternalName", externalName: "example.com" }),
  ],
  slices: [
    {
      metadata: { namespace: "shop", name: "web-1", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv4",
      endpoints: [
        { addresses: ["10.245.0.2"], hostname: "web-0", conditions: { ready: true } },
        { addresses: ["10.245.0.3"], conditions: {} },
        { addresses: ["10.245.0.4"], conditions: { ready: false } },
      ],
      ports: [{ name: "sql", port: 3306, protocol: "TCP" }],
    },
    {
      metadata: { namespace: "shop", name: "web-2", labels: { "kubernetes.io/service-name": "web" } },
      addressType: "IPv6",
      endpoints: [{ addresses: ["fd00::2"], conditions: { ready: true } }],
      ports: [],
    },
  ],
} as unknown as NamedObjects;

function service(name: string, spec: object): object {
  return { metadata: { namespace: "shop", name }, spec };
}

test("a Service has its address, and the pods behind a headless one theirs", async () => {
  expect(await ask("front.shop.svc.cluster.local", "A")).toEqual(["10.96.0.20"]);
  expect(await ask("FRONT.shop.svc.cluster.local", "A")).toEqual(["10.96.0.20"]);
  expect(await ask("web.shop.svc.cluster.local", "A")).toEqual(["10.245.0.2", "10.245.0.3"]);
  expect(await ask("web-0.web.shop.svc.cluster.local", "A")).toEqual(["10.245.0.2"]);
  expect(await ask("10-245-0-3.web.shop.svc.cluster.local", "A")).toEqual(["10.245.0.3"]);
});

test("other questions about a name that exists have no answers, and other names do not exist", async () => {
  expect(await ask("front.shop.svc.cluster.local", "AAAA")).toEqual([]);
  expect(await ask("front.default.svc.cluster.local", "A")).toBeUndefined();
  expect(await ask("web-7.web.shop.svc.cluster.local", "A")).toBeUndefined();
  expect(await ask("svc.cluster.local", "A")).toBeUndefined();
});

test("ports, names of addresses and other names are answered by names", async () => {
  expect(await ask("_http._tcp.front.shop.svc.cluster.local", "SRV")).toEqual([
    "80 front.shop.svc.cluster.local",
  ]);
  expect(await ask("_sql._tcp.web.shop.svc.cluster.local", "SRV")).toEqual([
    "3306 web-0.web.shop.svc.cluster.local",
    "3306 10-245-0-3.web.shop.svc.cluster.local",
  ]);
  expect(await ask("20.0.96.10.in-addr.arpa", "PTR")).toEqual(["front.shop.svc.cluster.local"]);
  expect(await ask("2.0.245.10.in-addr.arpa", "PTR")).toEqual(["web-0.web.shop.svc.cluster.local"]);
  expect(await ask("other.shop.svc.cluster.local", "A")).toEqual(["example.com"]);
});

test("what an ExternalName leads to is in the same answer", async () => {
  const outside = async (name: string) => (name === "example.com" ? ["192.0.2.1"] : []);
  expect(await ask("other.shop.svc.cluster.local", "A", outside)).toEqual(["example.com", "192.0.2.1"]);
  expect(await ask("other.shop.svc.cluster.local", "AAAA", outside)).toEqual(["example.com"]);
});

test("names outside are asked for outside, and those of the cluster are not", async () => {
  const asked: string[] = [];
  const outside = async (name: string) => {
    asked.push(name);
    return name === "registry.example.com" ? ["192.0.2.1"] : [];
  };
  expect(await ask("registry.example.com", "A", outside)).toEqual(["192.0.2.1"]);
  expect(await ask("registry.example.com", "AAAA", outside)).toEqual([]);
  expect(await ask("nobody.example.com", "A", outside)).toBeUndefined();
  expect(await ask("nobody.shop.svc.cluster.local", "A", outside)).toBeUndefined();
  expect(asked).toEqual(["registry.example.com", "registry.example.com", "nobody.example.com"]);
});

test.each([
  ["an empty message", Buffer.alloc(0)],
  ["a message without a question", Buffer.alloc(40)],
  ["a name that does not end", Buffer.concat([header(), Buffer.from([40, 97, 97, 97, 97, 97, 97])])],
  ["a name that refers to itself", Buffer.concat([header(), Buffer.from([0xc0, 12, 0, 1, 0, 1, 0, 0])])],
])("%s is no query", async (_, message) => {
  expect(await answerQuery(message, objects, async () => [])).toBeUndefined();
});

test("an answer has as many addresses as the resolver takes", async () => {
  const [slice] = objects.slices;
  const endpoints = Array.from({ length: 60 }, (_, last) => ({
    addresses: [`10.245.1.${last}`],
    conditions: {},
  }));
  const many = { ...objects, slices: [{ ...slice!, endpoints }] };
  const query = Buffer.concat([header(), questionOf("web.shop.svc.cluster.local", types.A)]);
  const short = (await answerQuery(query, many, async () => []))!;
  expect(short.length).toBeGreaterThan(400);
  expect(short.length).toBeLessThanOrEqual(512);
  expect(isTruncated(short)).toBe(true);
  const option = Buffer.from([0, 0, 41, 4096 >> 8, 0, 0, 0, 0, 0, 0, 0]);
  const long = (await answerQuery(Buffer.concat([query, option]), many, async () => []))!;
  expect(long.readUInt16BE(6)).toBe(60);
  expect(isTruncated(long)).toBe(false);
  const byTcp = (await answerQuery(query, many, async () => [], "tcp"))!;
  expect(byTcp.readUInt16BE(6)).toBe(60);
  expect(isTruncated(byTcp)).toBe(false);
});

function isTruncated(answer: Buffer): boolean {
  return (answer.readUInt16BE(2) & 0x200) !== 0;
}

test("queries of a connection are answered one after the other, however they are cut", async () => {
  const { connection, stop } = await serve();
  const query = framed(Buffer.concat([header(), questionOf("front.shop.svc.cluster.local", types.A)]));
  for (const byte of query) connection.write(Buffer.from([byte]));
  connection.write(Buffer.concat([query, query, Buffer.from([0])]));
  const answer = framed((await answerQuery(query.subarray(2), objects, async () => [], "tcp"))!);
  const told: Buffer[] = [];
  for await (const chunk of connection) {
    told.push(chunk as Buffer);
    if (Buffer.concat(told).length >= 3 * answer.length) break;
  }
  expect(Buffer.concat(told)).toEqual(Buffer.concat([answer, answer, answer]));
  stop();
});

test("a connection that sends no query ends", async () => {
  const { connection, stop } = await serve();
  connection.write(framed(Buffer.from("not a query")));
  expect(await buffer(connection)).toEqual(Buffer.alloc(0));
  stop();
});

/** Serves names on loopback, and connects to it by TCP. */
async function serve(): Promise<{ readonly connection: Socket; readonly stop: () => void }> {
  const dnsByTcp = createServer().listen(0, "127.0.0.1");
  await once(dnsByTcp, "listening");
  const dns = createSocket("udp4");
  serveNames(
    { dns, dnsByTcp },
    () => objects,
    async () => [],
  );
  const connection = connect((dnsByTcp.address() as AddressInfo).port, "127.0.0.1");
  const stop = (): void => {
    connection.destroy();
    dnsByTcp.close();
    dns.close();
  };
  return { connection, stop };
}

function framed(message: Buffer): Buffer {
  return Buffer.concat([Buffer.from([message.length >> 8, message.length & 255]), message]);
}

function header(): Buffer {
  const bytes = Buffer.alloc(12);
  bytes.writeUInt16BE(4711, 0);
  bytes.writeUInt16BE(1, 4);
  return bytes;
}

function questionOf(name: string, type: number): Buffer {
  const labels = name.split(".").flatMap((label) => [Buffer.from([label.length]), Buffer.from(label)]);
  return Buffer.concat([...labels, Buffer.from([0, 0, type, 0, 1])]);
}

/** Returns the answers to a question as texts; undefined if the name does not exist. */
async function ask(
  name: string,
  type: keyof typeof types,
  outside: (name: string) => Promise<readonly string[]> = async () => [],
): Promise<string[] | undefined> {
  const question = questionOf(name, types[type]);
  const answer = (await answerQuery(Buffer.concat([header(), question]), objects, outside))!;
  expect(answer.readUInt16BE(0)).toBe(4711);
  if ((answer[3]! & 15) === 3) return undefined;
  const texts: string[] = [];
  let at = 12 + question.length;
  for (let left = answer.readUInt16BE(6); left > 0; left--) {
    at = readName(answer, at).end;
    const found = answer.readUInt16BE(at);
    const data = at + 10;
    if (found === types.A) texts.push([...answer.subarray(data, data + 4)].join("."));
    else if (found === types.SRV)
      texts.push(`${answer.readUInt16BE(data + 4)} ${readName(answer, data + 6).name}`);
    else texts.push(readName(answer, data).name);
    at = data + answer.readUInt16BE(at + 8);
  }
  expect(at).toBe(answer.length);
  return texts;
}

function readName(message: Buffer, start: number): { readonly name: string; readonly end: number } {
  const labels: string[] = [];
  let at = start;
  for (; message[at] !== 0; at += message[at]! + 1)
    labels.push(message.toString("latin1", at + 1, at + 1 + message[at]!));
  return { name: labels.join("."), end: at + 1 };
}
