import type { Socket as UdpSocket } from "node:dgram";
import type { Server, Socket } from "node:net";
import { pipeline } from "node:stream/promises";
import type { EndpointSlice } from "@tsbuilder/apimachinery/k8s/discovery/v1";
import type { Service } from "@tsbuilder/apimachinery/k8s/core/v1";
import { clusterDomain } from "./node-files.ts";

// The cluster's DNS: names of Services and of the pods behind them, by Kubernetes' DNS specification.

/** The objects that names are made of. */
export interface NamedObjects {
  readonly services: readonly Service[];
  readonly slices: readonly EndpointSlice[];
}

/** Finds addresses of a name outside of the cluster; none if nobody knows it. */
export type ResolveOutside = (name: string) => Promise<readonly string[]>;

/** How long a resolver may keep a connection without a query. */
const idleMilliseconds = 10_000;

/** Answers queries by UDP and by TCP. Pods send them: nothing that arrives may end this process. */
export function serveNames(
  { dns, dnsByTcp }: { readonly dns: UdpSocket; readonly dnsByTcp: Server },
  find: () => NamedObjects | Promise<NamedObjects>,
  resolveOutside: ResolveOutside,
): void {
  dns.on("message", (message, { port, address }) => {
    Promise.resolve(find())
      .then((objects) => answerQuery(message, objects, resolveOutside))
      // Without a callback, an answer that is too large for UDP would end this process.
      .then((answer) => answer && dns.send(answer, port, address, () => undefined))
      // A resolver asks again.
      .catch(() => undefined);
  });
  dnsByTcp.on("connection", (socket) => {
    socket.setTimeout(idleMilliseconds, () => socket.destroy());
    answerConnection(socket, async (query) => answerQuery(query, await find(), resolveOutside, "tcp")).catch(
      () => socket.destroy(),
    );
  });
}

/** On a connection each message follows its length. What is no query ends it. */
async function answerConnection(
  socket: Socket,
  answer: (query: Buffer) => Promise<Buffer | undefined>,
): Promise<void> {
  const answers = async function* (chunks: AsyncIterable<Buffer>): AsyncGenerator<Buffer> {
    let rest = Buffer.alloc(0);
    for await (const chunk of chunks) {
      rest = Buffer.concat([rest, chunk]);
      while (rest.length >= 2 && rest.length >= 2 + rest.readUInt16BE(0)) {
        const end = 2 + rest.readUInt16BE(0);
        const told = await answer(rest.subarray(2, end));
        rest = rest.subarray(end);
        if (!told) return;
        yield Buffer.concat([Buffer.from([told.length >> 8, told.length & 255]), told]);
      }
    }
  };
  await pipeline(socket, answers, socket);
}

/** The largest message that a connection transports. */
const largestMessage = 65_535;

/**
 * Answers a query with one question; undefined for a message that is none. A resolver that asked by UDP is told in an answer which is
 * too long for it that there is more: it asks again, by TCP.
 */
export async function answerQuery(
  message: Buffer,
  objects: NamedObjects,
  resolveOutside: ResolveOutside,
  transport: "udp" | "tcp" = "udp",
): Promise<Buffer | undefined> {
  const question = readQuestion(message);
  if (!question) return undefined;
  const { name, type } = question;
  const isInside = name.endsWith(`.${clusterDomain}`) || name.endsWith(".in-addr.arpa");
  const found = isInside ? resolveName(objects, name) : await resolveOther(name, resolveOutside);
  const [first] = found ?? [];
  // The resolvers of pods don't ask for what an ExternalName leads to.
  const answers =
    first?.type === "CNAME" ? [first, ...((await resolveOther(first.target, resolveOutside)) ?? [])] : found;
  const wanted = answers?.filter(
    (answer) => recordTypes[answer.type] === type || (answer.type === "CNAME" && type !== recordTypes.SRV),
  );
  return writeAnswer(question, wanted, transport === "tcp" ? largestMessage : question.limit);
}

async function resolveOther(name: string, resolve: ResolveOutside): Promise<readonly Answer[] | undefined> {
  const found = await resolve(name);
  return found.length === 0 ? undefined : found.map((address) => ({ type: "A", name, address }));
}

interface Question {
  readonly id: number;
  /** In lower case, without the last dot. */
  readonly name: string;
  readonly type: number;
  /** The question as it came, for the answer. */
  readonly bytes: Buffer;
  /** The largest answer that the resolver takes by UDP, in bytes. */
  readonly limit: number;
}

const recordTypes = { A: 1, CNAME: 5, PTR: 12, AAAA: 28, SRV: 33 } as const;

/** An answer: an address, a name, or a port of a name. */
type Answer =
  | { readonly type: "A"; readonly name: string; readonly address: string }
  | { readonly type: "CNAME" | "PTR"; readonly name: string; readonly target: string }
  | { readonly type: "SRV"; readonly name: string; readonly port: number; readonly target: string };

/** Returns the answers about a name of the cluster; undefined if it has no such name. */
function resolveName(objects: NamedObjects, name: string): readonly Answer[] | undefined {
  const suffix = `.svc.${clusterDomain}`;
  if (name.endsWith(".in-addr.arpa")) return reverse(objects, name);
  if (!name.endsWith(suffix)) return undefined;
  const labels = name.slice(0, -suffix.length).split(".");
  const [service = "", namespace = ""] = labels.slice(-2);
  const found = objects.services.find(
    ({ metadata }) => metadata.name === service && metadata.namespace === namespace,
  );
  if (!found || labels.length < 2) return undefined;
  const { type, externalName = "", clusterIP, ports = [] } = found.spec ?? {};
  const before = labels.slice(0, -2);
  if (type === "ExternalName") return [{ type: "CNAME", name, target: externalName }];
  const full = `${service}.${namespace}${suffix}`;
  if (clusterIP !== "None") {
    if (before.length === 0) return [{ type: "A", name, address: clusterIP! }];
    const port = ports.find((each) => isPort(before, each));
    return port && [{ type: "SRV", name, port: port.port, target: full }];
  }
  const endpoints = endpointsOf(objects, namespace, service);
  if (before.length === 2) {
    const answers = endpoints.flatMap(({ host, ports: open }) =>
      open
        .filter((each) => isPort(before, each))
        .map(({ port }) => ({ type: "SRV", name, port: port!, target: `${host}.${full}` }) as const),
    );
    return answers.length > 0 ? answers : undefined;
  }
  const wanted = before.length === 0 ? endpoints : endpoints.filter(({ host }) => host === before[0]);
  if (wanted.length === 0) return before.length === 0 ? [] : undefined;
  return wanted.map(({ address }) => ({ type: "A", name, address }));
}

interface FoundPod {
  readonly host: string;
  readonly address: string;
  readonly ports: NonNullable<EndpointSlice["ports"]>;
}

/** The ready endpoints of a Service; one without a host name is called by its address. */
function endpointsOf({ slices }: NamedObjects, namespace: string, service: string): FoundPod[] {
  return slices
    .filter(({ addressType }) => addressType === "IPv4")
    .filter(({ metadata }) => metadata.namespace === namespace && serviceOf(metadata) === service)
    .flatMap(({ endpoints = [], ports }) =>
      (endpoints ?? [])
        .filter(({ conditions }) => conditions?.ready !== false)
        .map(({ addresses, hostname }) => ({
          address: addresses[0]!,
          host: hostname ?? addresses[0]!.replaceAll(".", "-"),
          ports: ports ?? [],
        })),
    );
}

function serviceOf({ labels }: EndpointSlice["metadata"]): string | undefined {
  return labels?.["kubernetes.io/service-name"];
}

/** True for a question about `_name._protocol`. */
function isPort(labels: readonly string[], port: FoundPod["ports"][number]): boolean {
  const { name = "", protocol = "TCP" } = port;
  return labels.join(".") === `_${name}._${protocol.toLowerCase()}`;
}

function reverse({ services, slices }: NamedObjects, name: string): readonly Answer[] | undefined {
  const address = name.slice(0, -".in-addr.arpa".length).split(".").toReversed().join(".");
  const answer = (...labels: readonly string[]): Answer => ({
    type: "PTR",
    name,
    target: [...labels, "svc", clusterDomain].join("."),
  });
  const service = services.find(({ spec }) => spec?.clusterIP === address);
  if (service) return [answer(service.metadata.name!, service.metadata.namespace!)];
  for (const { metadata, endpoints } of slices) {
    const endpoint = endpoints?.find(({ addresses, hostname }) => hostname && addresses.includes(address));
    const owner = serviceOf(metadata);
    if (endpoint && owner) return [answer(endpoint.hostname!, owner, metadata.namespace!)];
  }
  return undefined;
}

/** Reads a query with one question; undefined for anything else. */
function readQuestion(message: Buffer): Question | undefined {
  if (message.length < 17 || message.readUInt16BE(4) !== 1) return undefined;
  const labels: string[] = [];
  let at = 12;
  while (message[at] !== 0) {
    const length = message[at]!;
    if (length > 63 || at + length + 5 >= message.length) return undefined;
    labels.push(message.toString("latin1", at + 1, at + 1 + length));
    at += length + 1;
  }
  const type = message.readUInt16BE(at + 1);
  const bytes = message.subarray(12, at + 5);
  // An option record may follow, in which a resolver says how much it takes.
  const isLarger = message[at + 5] === 0 && message.length >= at + 10 && message.readUInt16BE(at + 6) === 41;
  const limit = Math.max(512, isLarger ? message.readUInt16BE(at + 8) : 0);
  return { id: message.readUInt16BE(0), name: labels.join(".").toLowerCase(), type, bytes, limit };
}

/**
 * `answers` is undefined if there is no such name. Of many answers, such as the pods of a headless Service, it has as many as fit:
 * some resolvers never ask for the others.
 */
function writeAnswer(question: Question, answers: readonly Answer[] | undefined, limit: number): Buffer {
  const records: Buffer[] = [];
  let length = 12 + question.bytes.length;
  for (const record of (answers ?? []).map(writeRecord)) {
    length += record.length;
    if (length > limit) break;
    records.push(record);
  }
  const isTruncated = records.length < (answers ?? []).length;
  const header = Buffer.alloc(12);
  header.writeUInt16BE(question.id, 0);
  // An authoritative answer, with recursion available, as resolvers expect it.
  header.writeUInt16BE(0x8580 | (isTruncated ? 0x200 : 0) | (answers ? 0 : 3), 2);
  header.writeUInt16BE(1, 4);
  header.writeUInt16BE(records.length, 6);
  return Buffer.concat([header, question.bytes, ...records]);
}

const secondsToKeep = 5;

function writeRecord(answer: Answer): Buffer {
  const data = writeData(answer);
  const fields = Buffer.alloc(10);
  fields.writeUInt16BE(recordTypes[answer.type], 0);
  fields.writeUInt16BE(1, 2);
  fields.writeUInt32BE(secondsToKeep, 4);
  fields.writeUInt16BE(data.length, 8);
  return Buffer.concat([writeName(answer.name), fields, data]);
}

function writeData(answer: Answer): Buffer {
  if (answer.type === "A") return Buffer.from(answer.address.split(".").map(Number));
  if (answer.type !== "SRV") return writeName(answer.target);
  const port = Buffer.alloc(6);
  port.writeUInt16BE(100, 2);
  port.writeUInt16BE(answer.port, 4);
  return Buffer.concat([port, writeName(answer.target)]);
}

function writeName(name: string): Buffer {
  const labels = name
    .split(".")
    .map((label) => Buffer.concat([Buffer.from([label.length]), Buffer.from(label, "latin1")]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}
