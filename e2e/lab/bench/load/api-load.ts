import { performance } from "node:perf_hooks";
import { setTimeout as delay } from "node:timers/promises";
import { percentile } from "../side-by-side/statistics.ts";
import { type Address, Connection } from "./connection.ts";
import { processorTime } from "./processes.ts";
import { definition, thing, things } from "./thing.ts";

/** A server under load, and its processes. */
export interface Served extends Address {
  readonly pids: readonly number[];
}

/** A server's measurements under load: in a second, or milliseconds. */
export interface Figures {
  readonly creates: number;
  readonly list: number;
  readonly writes: ReadonlyMap<number, number>;
  readonly latency: number;
  /** The server's processor time of one of the writes without watchers, and of a list. */
  readonly processor: { readonly write: number; readonly list: number };
  /** The length of the response with a new object. */
  readonly length: number;
}

/** The number of watchers that follow the writes. */
export const watcherCounts = [0, 10, 100];

/** Fewer than the goal of 10,000 are enough for ratios on a busy machine. */
export const objectCount = Number(process.env["BENCH_OBJECTS"] ?? 10_000);

const lists = 20;
const latencies = 1000;

/** Puts a server under load, embedded or real: many objects, lists of them, writes with watchers. */
export async function measureServer(served: Served): Promise<Figures> {
  const { pids } = served;
  const length = await onConnection(served, createFirst);
  const creates = await createsPerSecond(served, 16, objectCount, "t");
  const beforeLists = processorTime(pids);
  const list = await onConnection(served, timeList);
  const listed = processorTime(pids) - beforeLists;
  const writes = new Map<number, number>();
  let written = 0;
  for (const count of watcherCounts) {
    const before = processorTime(pids);
    writes.set(count, await writesPerSecond(served, count));
    if (count === 0) written = processorTime(pids) - before;
  }
  const latency = await onConnection(served, (writer) => watchLatency(served, writer));
  const processor = { write: written / objectCount, list: listed / lists };
  return { creates, list, writes, latency, processor, length };
}

/** Each phase has connections of its own: the server closes those that a long phase leaves idle. */
async function onConnection<T>(address: Address, phase: (connection: Connection) => Promise<T>): Promise<T> {
  const connection = await Connection.open(address);
  try {
    return await phase(connection);
  } finally {
    connection.close();
  }
}

/** Creates the CRD and an object: the real server delays the first write of a new kind by two seconds. */
async function createFirst(connection: Connection): Promise<number> {
  const path = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
  await connection.send("POST", path, JSON.stringify(definition));
  while ((await connection.send("GET", things)).code !== 200) await delay(100);
  return create(connection, "first");
}

/** The median. */
async function timeList(connection: Connection): Promise<number> {
  const times: number[] = [];
  for (let index = 0; index < lists; index++) {
    const before = performance.now();
    await connection.send("GET", `${things}?resourceVersion=0`);
    times.push(performance.now() - before);
  }
  return percentile(times, 50);
}

/** Returns the length of the response. */
async function create(connection: Connection, name: string): Promise<number> {
  const { code, length } = await connection.send("POST", things, JSON.stringify(thing(name)));
  if (code !== 201) throw new Error(`the creation of ${name} was answered with ${code}`);
  return length;
}

async function createsPerSecond(
  address: Address,
  width: number,
  count: number,
  prefix: string,
): Promise<number> {
  const connections = await openAll(address, width);
  let next = 0;
  const start = performance.now();
  await Promise.all(
    connections.map(async (connection) => {
      while (next < count) await create(connection, `${prefix}-${next++}`);
    }),
  );
  const seconds = (performance.now() - start) / 1000;
  for (const connection of connections) connection.close();
  return count / seconds;
}

/** Writes are so many that what V8 compiles again after the phase before hardly counts: a fifth of them was too few. */
async function writesPerSecond(address: Address, watchers: number): Promise<number> {
  const count = objectCount;
  const connections = await openAll(address, watchers);
  let left = watchers * count;
  let [finish, fail]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  const arrived = new Promise<void>((resolve, reject) => ([finish, fail] = [resolve, reject]));
  const arrive = (events: number): void => {
    left -= events;
    if (left === 0) finish();
  };
  await Promise.all(connections.map((connection) => connection.watch(watchPath, arrive, fail)));
  if (watchers === 0) finish();
  const [perSecond] = await Promise.all([createsPerSecond(address, 8, count, `w${watchers}`), arrived]);
  for (const connection of connections) connection.close();
  return perSecond;
}

/** From the start of a write on a quiet server until a watcher has it. */
async function watchLatency(address: Address, writer: Connection): Promise<number> {
  const watcher = await Connection.open(address);
  let [arrived, fail]: [() => void, (error: Error) => void] = [() => undefined, () => undefined];
  await watcher.watch(
    watchPath,
    () => arrived(),
    (error) => fail(error),
  );
  const times: number[] = [];
  for (let index = 0; index < latencies; index++) {
    const arrival = new Promise<void>((resolve, reject) => ([arrived, fail] = [resolve, reject]));
    const before = performance.now();
    await Promise.all([
      create(writer, `l-${index}`),
      arrival.then(() => times.push(performance.now() - before)),
    ]);
  }
  watcher.close();
  return percentile(times, 99);
}

const watchPath = `${things}?watch=1&resourceVersion=&sendInitialEvents=false&resourceVersionMatch=NotOlderThan`;

function openAll(address: Address, count: number): Promise<Connection[]> {
  return Promise.all(Array.from({ length: count }, () => Connection.open(address)));
}
