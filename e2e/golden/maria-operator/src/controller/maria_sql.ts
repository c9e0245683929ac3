/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { createHmac } from "node:crypto";
import { connect as connectSocket } from "node:net";
import { createConnection } from "mysql2/promise";
import type { MariaSpec } from "../../api/v1/maria_types.ts";
import type { Server, Says, Source } from "./maria_decide.ts";
import type { Sessions, SqlStep } from "./maria_drive.ts";
import { parseGtids } from "./maria_gtids.ts";
import { mysqlPort, operatorUser } from "./maria_resources.ts";

/** A session with one server. It ends for good when anything fails. */
export interface Session {
  query(sql: string): Promise<Row[]>;
  close(): void;
}

export type Row = Record<string, string | number | null>;

/** The operator's password, and who signed the servers' certificates; undefined if the user wants none that prove something. */
export interface Login {
  readonly password: string;
  readonly ca: string | undefined;
}

/** Opens a session with the server of a pod, as the operator; tests pass a stand-in. */
export type Connect = (place: Place, login: Login) => Promise<Session>;

/** Opens a session over TLS. A server that makes its own certificate can't be verified; one that was given a certificate is. */
export const connect: Connect = async (place, { password, ca }) => {
  const { host: address = "", namespace, name, hasCertificate } = place;
  const connection = await createConnection({
    // The name in the certificate; the Service of that name leads to the primary only.
    host: `${name.replace(/-\d+$/, "")}.${namespace}.svc`,
    stream: () => connectSocket(mysqlPort, address),
    ssl:
      hasCertificate && ca !== undefined
        ? { ca, verifyIdentity: true }
        : { rejectUnauthorized: false },
    ...{ user: operatorUser, password, connectTimeout: 5000 },
  });
  connection.on("error", () => connection.destroy());
  const session: Session = {
    async query(sql) {
      try {
        const [rows] = await connection.query({ sql, timeout: 30_000 });
        return Array.isArray(rows) ? (rows as Row[]) : [];
      } catch (error) {
        // A statement without an answer may still be executed: nothing must follow it.
        const { fatal, code } = error as { fatal?: boolean; code?: string };
        if (fatal || code === "PROTOCOL_SEQUENCE_TIMEOUT") connection.destroy();
        throw error;
      }
    },
    close: () => connection.destroy(),
  };
  // Users may give the server other modes, and `quote` relies on this one.
  await session.query(ownMode);
  // A renewed certificate reaches the pod minutes after the Secret, and is read when a server is told to. If that fails, the former one stays.
  if (hasCertificate) await session.query("ALTER INSTANCE RELOAD TLS").catch(() => undefined);
  return session;
};

const ownMode = "SET SESSION sql_mode = ''";

/** A pod, as far as sessions go. */
export interface Place {
  readonly ordinal: number;
  readonly namespace: string;
  readonly name: string;
  /** Its uid. */
  readonly pod: string;
  readonly host: string | undefined;
  readonly isOutdated: boolean;
  /** True if the user gave the server's certificate. */
  readonly hasCertificate: boolean;
  readonly isBroken: boolean;
  readonly trouble: string;
}

/** The requests to the API server that sessions make. */
export interface Effects {
  places(isLive: boolean): Promise<readonly Place[]>;
  restart(place: Place): Promise<void>;
  /** The address of the server with the data of a backup. */
  restoreHost(): Promise<string>;
}

/** The sessions of one look. */
export class SqlSessions implements Sessions {
  readonly #login: Login;
  readonly #effects: Effects;
  readonly #sessions = new Map<string, Session>();
  readonly #errors = new Map<string, Error & { readonly code?: string }>();
  #places: readonly Place[] = [];

  constructor(login: Login, effects: Effects) {
    this.#login = login;
    this.#effects = effects;
  }

  /** Opens a session with every server that answers. */
  async open(connectTo: Connect): Promise<void> {
    const places = await this.#effects.places(false);
    const opened = places.map(async (place) => {
      if (place.host === undefined) return;
      try {
        this.#sessions.set(place.pod, await connectTo(place, this.#login));
      } catch (error) {
        this.#errors.set(place.pod, error as Error);
      }
    });
    await Promise.all(opened);
  }

  async look(isLive: boolean): Promise<readonly Server[]> {
    this.#places = await this.#effects.places(isLive);
    return Promise.all(this.#places.map((place) => this.#ask(place)));
  }

  async #ask({ ordinal, pod, isOutdated, isBroken, trouble }: Place): Promise<Server> {
    const error = this.#errors.get(pod);
    // It knows the password that the operator's Secret had when it started.
    const isRefused = error?.code === "ER_ACCESS_DENIED_ERROR";
    const seen = { ordinal, pod, isOutdated, isBroken: isBroken || isRefused };
    const session = this.#sessions.get(pod);
    if (!session) return { ...seen, trouble: trouble || describe(error) };
    try {
      const [row] = await session.query(lookStatement);
      // A pod may get another address while it runs, and its former one may be another pod's.
      if (row!["name"] !== String(ordinal)) throw new Error("another server has its address");
      return { ...seen, says: read(row!, this.#places) };
    } catch (error) {
      return { ...seen, trouble: trouble || (error as Error).message };
    }
  }

  async fence(): Promise<void> {
    await Promise.all(
      [...this.#sessions.values()].map((session) => fence(session).catch(() => session.close())),
    );
  }

  async act(step: SqlStep): Promise<void> {
    if (step.do === "restart") return this.#effects.restart(this.#place(step.ordinal));
    const session = this.sessionWith(step.ordinal);
    const { password } = this.#login;
    switch (step.do) {
      case "lock":
        return lock(session);
      case "unlock":
        return unlock(session);
      case "apply":
        return void (await session.query("START REPLICA SQL_THREAD"));
      case "follow":
        return follow(session, await this.#hostOf(step.source), password);
      case "seed":
        return seed(session, await this.#hostOf(step.donor), password);
    }
  }

  /** The session with a server; throws if it doesn't answer. */
  sessionWith(ordinal: number): Session {
    const session = this.#sessions.get(this.#place(ordinal).pod);
    if (!session) throw new Error(`server ${ordinal} doesn't answer`);
    return session;
  }

  close(): void {
    for (const session of this.#sessions.values()) session.close();
  }

  #hostOf(server: number | "restore"): string | Promise<string> {
    if (server === "restore") return this.#effects.restoreHost();
    const { host } = this.#place(server);
    if (host === undefined) throw new Error(`server ${server} has no address`);
    return host;
  }

  #place(ordinal: number): Place {
    const place = this.#places.find((one) => one.ordinal === ordinal);
    if (!place) throw new Error(`server ${ordinal} has no pod`);
    return place;
  }
}

/** A server reads another certificate when it is told to, or starts, and nobody may tell one whose certificate proves nothing. Node.js 24 advises an option of its own behind a semicolon. */
function describe(error: (Error & { readonly code?: string }) | undefined): string {
  if (!error) return "it was not asked yet";
  const { message, code = "" } = error;
  // A connection that is cut while it begins proves nothing about a certificate.
  if (!code.startsWith("HANDSHAKE_") || /disconnected|ECONN/.test(message)) return message;
  return `${message.split("; ")[0]}. Correct the Secret of its certificate, if that is wrong, and delete the pod, which reads it`;
}

/** A copy that ended with its process is said to be in progress for ever, but by nobody. */
const lookStatement = `SELECT @@report_host AS name, @@server_uuid AS uuid, @@super_read_only AS isLocked, @@read_only AS isReadOnly,
  @@gtid_executed AS executed, @@gtid_purged AS purged, configuration.HOST AS source,
  receiving.SERVICE_STATE AS receiving, receiving.RECEIVED_TRANSACTION_SET AS received,
  receiving.LAST_ERROR_MESSAGE AS receiveError, applying.SERVICE_STATE AS applying,
  (SELECT MAX(STATE) FROM performance_schema.clone_status WHERE PID > 0) AS cloning,
  (SELECT MAX(ERROR_MESSAGE) FROM performance_schema.clone_status) AS cloneError,
  (SELECT MAX(ABS(TIMESTAMPDIFF(SECOND, END_TIME, NOW())) < 30) FROM performance_schema.clone_status WHERE STATE = 'Failed') AS justFailed,
  (SELECT MAX(LAST_ERROR_MESSAGE) FROM performance_schema.replication_applier_status_by_worker) AS applyError
FROM (SELECT 1) AS one
LEFT JOIN performance_schema.replication_connection_configuration AS configuration ON configuration.CHANNEL_NAME = ''
LEFT JOIN performance_schema.replication_connection_status AS receiving ON receiving.CHANNEL_NAME = ''
LEFT JOIN performance_schema.replication_applier_status AS applying ON applying.CHANNEL_NAME = ''`;

function read(row: Row, places: readonly Place[]): Says {
  const text = (name: string) => String(row[name] ?? "");
  const access = row["isLocked"] === 1 ? "locked" : row["isReadOnly"] === 0 ? "open" : "other";
  const source: Source = {
    ordinal: places.find(({ host }) => host === row["source"])?.ordinal ?? -1,
    // Connecting is no error yet, unless the last attempt failed.
    isReceiving:
      row["receiving"] === "ON" || (row["receiving"] === "CONNECTING" && !row["receiveError"]),
    isApplying: row["applying"] === "ON",
    error: text("applyError") || text("receiveError") || undefined,
  };
  return {
    uuid: text("uuid"),
    access,
    executed: parseGtids(text("executed")),
    received: parseGtids(text("received")),
    purged: parseGtids(text("purged")),
    isSeeding: row["cloning"] === "In Progress",
    seedError: text("cloneError") || undefined,
    hasJustFailed: row["justFailed"] === 1,
    source: row["source"] ? source : undefined,
  };
}

/** Users' sessions end before, since locked tables and open transactions would keep it waiting, and after: they go to the other server. */
async function lock(session: Session): Promise<void> {
  const others = `USER NOT IN ('${operatorUser}', 'system user', 'event_scheduler')`;
  await session.query("SET SESSION lock_wait_timeout = 10");
  await end(session, others);
  await session.query("SET GLOBAL super_read_only = ON");
  await end(session, others);
}

/**
 * Events are replicated as disabled on replicas, and nobody enables them when one becomes the primary. It takes writes only then, since
 * a server that does is not unlocked again by whoever comes after an operator that died in here. An event gets the definer and
 * the mode of the session that alters it, so both are said: it must not get the operator's rights.
 */
async function unlock(session: Session): Promise<void> {
  await session.query("STOP REPLICA");
  await session.query("RESET REPLICA ALL");
  await session.query("SET GLOBAL super_read_only = OFF");
  const events = await session.query(
    "SELECT EVENT_SCHEMA AS db, EVENT_NAME AS name, DEFINER AS definer, SQL_MODE AS mode FROM information_schema.EVENTS WHERE STATUS LIKE '%SIDE_DISABLED'",
  );
  for (const { db, name, definer, mode } of events) {
    const event = `EVENT ${identifier(db)}.${identifier(name)}`;
    await session.query(`SET SESSION sql_mode = ${quote(mode)}`);
    await session.query(`ALTER DEFINER = ${account(definer)} ${event} ENABLE`);
    await session.query(ownMode);
  }
  await session.query("SET GLOBAL read_only = OFF");
}

/** The password is kept in memory only, and given anew with each start. */
async function follow(session: Session, host: string, password: string): Promise<void> {
  await session.query("STOP REPLICA");
  await session.query(
    `CHANGE REPLICATION SOURCE TO SOURCE_HOST = ${quote(host)}, SOURCE_PORT = ${mysqlPort}, SOURCE_AUTO_POSITION = 1, SOURCE_SSL = 1, SOURCE_CONNECT_RETRY = 5`,
  );
  await session.query(`START REPLICA USER = '${operatorUser}' PASSWORD = ${quote(password)}`);
}

/** An interrupted clone leaves a server without data: so it says that it has none from the start. */
async function seed(session: Session, donor: string, password: string): Promise<void> {
  await session.query("STOP REPLICA");
  await session.query("RESET REPLICA ALL");
  await session.query("RESET BINARY LOGS AND GTIDS");
  // It drops databases first. Users still can't write.
  await session.query("SET GLOBAL super_read_only = OFF");
  await session.query(`SET GLOBAL clone_valid_donor_list = ${quote(`${donor}:${mysqlPort}`)}`);
  const cloning = session.query(
    `CLONE INSTANCE FROM ${operatorUser}@${quote(donor)}:${mysqlPort} IDENTIFIED BY ${quote(password)} REQUIRE SSL`,
  );
  // It goes on without us, and ends with a restart; what fails is seen by the next look, or is seeded again.
  await Promise.race([
    cloning.catch(() => undefined),
    new Promise((resolve) => setTimeout(resolve, 2000)),
  ]);
}

/** Ends the other sessions of operators, but those of replicas and copies, and waits until they are gone; throws if they stay. */
async function fence(session: Session): Promise<void> {
  const others = `USER = '${operatorUser}' AND COMMAND NOT LIKE 'Binlog Dump%' AND COMMAND <> 'Clone'`;
  for (let attempt = 0; attempt < 200; attempt += 1) {
    if ((await end(session, others)) === 0) return;
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  throw new Error("sessions of other operators don't end");
}

/** Ends sessions, and returns how many there were. */
async function end(session: Session, which: string): Promise<number> {
  const rows = await session.query(
    `SELECT ID AS id FROM performance_schema.processlist WHERE ID <> CONNECTION_ID() AND COMMAND <> 'Daemon' AND ${which}`,
  );
  for (const { id } of rows) {
    await session.query(`KILL ${id}`).catch((error: { errno?: number }) => {
      if (error.errno !== noSuchThread) throw error;
    });
  }
  return rows.length;
}

const noSuchThread = 1094;

/**
 * Makes database and user, or gives the user a new password; the former one stays valid for an hour. The sign of the password
 * is kept with the user, so that both are replicated together.
 */
export async function ensureAccount(
  primary: Session,
  { username = "app", database = "app" }: MariaSpec,
  password: string,
  key: string,
): Promise<void> {
  const user = `${quote(username)}@'%'`;
  const sign = createHmac("sha256", key).update(password).digest("hex");
  const [known] = await primary.query(
    `SELECT ATTRIBUTE->>'$.sign' AS sign, ATTRIBUTE->>'$.until' < UTC_TIMESTAMP() AS isOver, DATE_FORMAT(UTC_TIMESTAMP() + INTERVAL 1 HOUR, '%Y-%m-%d %H:%i:%s') AS until FROM information_schema.USER_ATTRIBUTES WHERE USER = ${quote(username)} AND HOST = '%'`,
  );
  const by = `IDENTIFIED BY ${quote(password)}`;
  // The sign comes last: without it, the user may lack the rest.
  if (!known?.["sign"]) {
    await primary.query(`CREATE DATABASE IF NOT EXISTS ${identifier(database)}`);
    await primary.query(`CREATE USER IF NOT EXISTS ${user} ${by}`);
    // Else the name is a pattern, which other databases match as well.
    const pattern = database.replaceAll(/[%_]/g, "\\$&");
    await primary.query(`GRANT ALL ON ${identifier(pattern)}.* TO ${user}`);
    await primary.query(`ALTER USER ${user} ${by} ${attribute({ sign })}`);
  } else if (known["sign"] !== sign) {
    await primary.query(
      `ALTER USER ${user} ${by} RETAIN CURRENT PASSWORD ${attribute({ sign, until: known["until"] })}`,
    );
  } else if (known["isOver"] === 1) {
    await primary.query(`ALTER USER ${user} DISCARD OLD PASSWORD`);
    await primary.query(`ALTER USER ${user} ${attribute({ until: null })}`);
  }
}

/** Attributes that are null are removed. */
function attribute(attributes: object): string {
  return `ATTRIBUTE ${quote(JSON.stringify(attributes))}`;
}

/** Backslashes are doubled: the mode of our sessions is not NO_BACKSLASH_ESCAPES. */
function quote(text: string | number | null | undefined): string {
  return `'${String(text).replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
}

function identifier(name: string | number | null | undefined): string {
  return `\`${String(name).replaceAll("`", "``")}\``;
}

/** An account, as MySQL shows it; a host has no @. In backticks, whatever the mode is. */
function account(definer: string | number | null | undefined): string {
  const text = String(definer);
  const at = text.lastIndexOf("@");
  return `${identifier(text.slice(0, at))}@${identifier(text.slice(at + 1))}`;
}
