/*
 * SPDX-License-Identifier: Apache-2.0
 */

// Plays the servers of simulated pods, as far as the operator's statements go: what is on a volume, what ends with the process,
// and what a server refuses.

import { external } from "@tsbuilder/simulation";
import { formatGtids, includes, parseGtids, union } from "./maria_gtids.ts";
import type { Connect, Row } from "./maria_sql.ts";

/** A server's volume, and the process that uses it. */
export interface Volume {
  /** The pod's uid. A process of another pod has started anew, locked. */
  process: string;
  host: string;
  /** The operator's password when the process started. */
  password: string;
  name: string;
  executed: string;
  access: "locked" | "open";
  source: string;
  isReplicating: boolean;
  /** Users with their attributes. */
  users: Record<string, { sign?: string; until?: string | null }>;
}

type Call = Record<"namespace" | "name" | "pod" | "host" | "password" | "sql", string>;

const urlOfServers = "http://mysqld/";

/** A `Connect` that asks the stand-in. */
export const connectToStandIn: Connect = async (place, { password }) => {
  const { namespace, name, pod, host } = place;
  const query = async (sql: string): Promise<Row[]> => {
    const call = new URLSearchParams({ namespace, name, pod, host: host!, password, sql });
    // Faults strike what changes something in another way than what looks.
    const method = sql.startsWith("SELECT") ? "GET" : "POST";
    const signal = AbortSignal.timeout(30_000);
    const response = await fetch(`${urlOfServers}?${call.toString()}`, { method, signal });
    if (response.status !== 200) {
      const code = response.status === 403 ? "ER_ACCESS_DENIED_ERROR" : undefined;
      throw Object.assign(new Error(await response.text()), { code });
    }
    return (await response.json()) as Row[];
  };
  return { query, close: () => undefined };
};

/** The servers, by namespace and name of their pods. */
export const mysqld = external({
  url: urlOfServers,
  state: () => new Map<string, Volume>(),
  async handle(request, volumes, pods) {
    const call = Object.fromEntries(new URL(request.url).searchParams) as Call;
    const { namespace, name } = call;
    const init = pods.readFile(
      { namespace, pod: name, container: "mysql" },
      "/etc/mysql-operator/init.sql",
    );
    if (init === undefined) return new Response("connection refused", { status: 503 });
    const volume = volumes.get(`${namespace}/${name}`) ?? empty(name);
    volumes.set(`${namespace}/${name}`, volume);
    if (volume.process !== call.pod) {
      const password = /IDENTIFIED BY '([^']*)'/.exec(init)![1]!;
      const { pod: process, host } = call;
      Object.assign(volume, { process, host, password, access: "locked", isReplicating: false });
    }
    if (volume.password !== call.password) return new Response("access denied", { status: 403 });
    const others = [...volumes.values()];
    try {
      return Response.json(
        answer(call.sql, volume, (host) => others.find((one) => one.host === host)),
      );
    } catch (error) {
      return new Response((error as Error).message, { status: 400 });
    }
  },
  // Volumes outlive their MySQL.
  leftover: () => [],
});

function empty(name: string): Volume {
  const texts = { process: "", host: "", password: "", executed: "", source: "" };
  const ordinal = /\d+$/.exec(name)![0];
  return { ...texts, name: ordinal, access: "locked", isReplicating: false, users: {} };
}

/** Executes a statement. */
function answer(sql: string, volume: Volume, at: (host: string) => Volume | undefined): Row[] {
  const has = (start: string) => sql.startsWith(start);
  if (has("SELECT @@report_host")) return [look(volume, at(volume.source))];
  if (has("SELECT ATTRIBUTE")) return attributesOf(volume, /USER = '(\w+)'/.exec(sql)![1]!);
  if (has("SELECT ") || has("SET SESSION") || has("SET GLOBAL clone")) return [];
  if (has("SET GLOBAL super_read_only = OFF")) return [];
  if (has("SET GLOBAL super_read_only = ON")) volume.access = "locked";
  else if (has("SET GLOBAL read_only = OFF")) volume.access = "open";
  else if (has("STOP REPLICA")) volume.isReplicating = false;
  else if (has("START REPLICA")) volume.isReplicating = true;
  else if (has("RESET REPLICA ALL")) volume.source = "";
  else if (has("RESET BINARY LOGS")) volume.executed = "";
  else if (has("CHANGE REPLICATION SOURCE"))
    volume.source = /SOURCE_HOST = '([^']*)'/.exec(sql)![1]!;
  else if (has("CLONE INSTANCE")) {
    const donor = at(/@'([^']*)'/.exec(sql)![1]!);
    if (!donor) throw new Error("the donor doesn't answer");
    Object.assign(volume, {
      executed: donor.executed,
      users: structuredClone(donor.users),
      access: "locked",
    });
  } else write(sql, volume);
  return [];
}

/** A replica has caught up with its source whenever somebody looks. */
function look(volume: Volume, source: Volume | undefined): Row {
  if (
    volume.isReplicating &&
    source &&
    includes(parseGtids(source.executed), parseGtids(volume.executed))
  ) {
    Object.assign(volume, { executed: source.executed, users: structuredClone(source.users) });
  }
  const state = volume.isReplicating ? "ON" : "OFF";
  return {
    name: volume.name,
    uuid: volume.process,
    isLocked: volume.access === "locked" ? 1 : 0,
    isReadOnly: volume.access === "locked" ? 1 : 0,
    executed: volume.executed,
    purged: "",
    source: volume.source || null,
    receiving: state,
    received: volume.executed,
    receiveError: "",
    applying: state,
    cloning: null,
    applyError: "",
  };
}

function attributesOf({ users }: Volume, user: string): Row[] {
  const attributes = users[user];
  if (!attributes) return [];
  return [{ sign: attributes.sign ?? null, isOver: 0, until: "2000-01-01 00:00:00" }];
}

/** A statement that changes data is a transaction; only an open server takes it. */
function write(sql: string, volume: Volume): void {
  const [, verb, user] =
    /^(CREATE DATABASE|CREATE USER|GRANT|ALTER USER)\b.*?'?(\w+)'?@?/.exec(sql) ?? [];
  if (verb === undefined) throw new Error(`the stand-in doesn't know: ${sql}`);
  if (volume.access !== "open") throw new Error("The server is running with --super-read-only");
  const [, name = user!] = /'(\w+)'@'%'/.exec(sql) ?? [];
  const [, attributes] = /ATTRIBUTE '(.*)'$/.exec(sql) ?? [];
  if (verb.endsWith("USER")) {
    volume.users[name] = {
      ...volume.users[name],
      ...(attributes === undefined ? {} : JSON.parse(attributes)),
    };
  }
  const before = parseGtids(volume.executed);
  const last = Math.max(0, ...(before.get(volume.process) ?? []).map(([, to]) => to));
  volume.executed = formatGtids(union(before, parseGtids(`${volume.process}:${last + 1}`)));
}
