/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { expect, onTestFinished, test, vi } from "vitest";
import type { Stored } from "@tsbuilder/runtime";
import type { Maria } from "../../api/v1/maria_types.ts";
import { operatorSecretFor } from "./maria_resources.ts";
import type { SqlStep } from "./maria_drive.ts";
import { ensureAccount, type Row, type Session, SqlSessions } from "./maria_sql.ts";

test("a server that has another one's address by now is not taken for that one", async () => {
  const sessions = await sessionsWith(answering([{ name: "1" }]));
  const [server] = await sessions.look(true);
  expect(server).toMatchObject({ ordinal: 0, trouble: "another server has its address" });
});

test("a copy that ended with its process is not taken for one in progress", async () => {
  const statements: string[] = [];
  await (await sessionsWith(answering([{ name: "0" }], statements))).look(true);
  expect(statements[0]).toContain("clone_status WHERE PID > 0) AS cloning");
});

test("a server whose certificate proves nothing is silent, and the status says what ends that", async () => {
  const troubleOf = async (message: string) => {
    const error = Object.assign(new Error(message), { code: "HANDSHAKE_SSL_ERROR" });
    const [server] = await (await sessionsWith(Promise.reject(error))).look(true);
    return server?.trouble;
  };
  expect(await troubleOf("old; try -x")).toMatch(/^old\. Correct the Secret .* and delete the pod/);
  expect(await troubleOf("read ECONNRESET")).toBe("read ECONNRESET");
});

test("a server takes writes only when its events are enabled: an operator that dies before that finds it half open", async () => {
  expect(await saidFor({ do: "unlock", ordinal: 0 })).toEqual([
    "STOP REPLICA",
    "RESET REPLICA ALL",
    "SET GLOBAL super_read_only = OFF",
    expect.stringContaining("information_schema.EVENTS"),
    "SET SESSION sql_mode = 'ANSI_QUOTES'",
    "ALTER DEFINER = `a@``b`@`%` EVENT `app`.`tick` ENABLE",
    "SET SESSION sql_mode = ''",
    "SET GLOBAL read_only = OFF",
  ]);
});

test("a server whose other sessions don't end doesn't answer any more", async () => {
  vi.useFakeTimers();
  onTestFinished(() => void vi.useRealTimers());
  const session = answering([{ name: "0", id: 7 }]);
  const close = vi.spyOn(session, "close");
  const sessions = await sessionsWith(session);
  const fenced = sessions.fence();
  await vi.advanceTimersByTimeAsync(60_000);
  await fenced;
  expect(close).toHaveBeenCalledOnce();
});

test("a copy replaces databases, which MySQL refuses on a server that is locked", async () => {
  const said = await saidFor({ do: "seed", ordinal: 0, donor: 0 });
  expect(said.slice(0, 4)).toEqual([
    "STOP REPLICA",
    "RESET REPLICA ALL",
    "RESET BINARY LOGS AND GTIDS",
    "SET GLOBAL super_read_only = OFF",
  ]);
  expect(said.at(-1)).toMatch("CLONE INSTANCE");
});

test("each pod has an id of its own: MySQL never replicates what has the server's own, as data that was put back would need", () => {
  const mysql = { metadata: { name: "db", namespace: "default" }, spec: {} } as Stored<Maria>;
  const { stringData } = operatorSecretFor(mysql, "password");
  expect(stringData?.["init.sql"]).toContain("SET GLOBAL server_id = CRC32(@@server_uuid);");
});

test("a user is made, gets a new password beside the former one, and loses that after an hour", async () => {
  const said = async (password: string, known?: Row) =>
    (await all(password, known)).map((sql) => sql.replace(/ATTRIBUTE .*/, "ATTRIBUTE"));
  const user = "USER 'app'@'%'";
  const [, sign = ""] = /"sign":"(\w+)"/.exec((await all("it's")).join()) ?? [];
  expect(await said("it's")).toEqual([
    "CREATE DATABASE IF NOT EXISTS `app`",
    `CREATE USER IF NOT EXISTS 'app'@'%' IDENTIFIED BY 'it''s'`,
    "GRANT ALL ON `app`.* TO 'app'@'%'",
    `ALTER ${user} IDENTIFIED BY 'it''s' ATTRIBUTE`,
  ]);
  expect(await said("it's", { sign: null })).toHaveLength(4);
  const shop = await all("it's", undefined, "my_shop");
  expect(shop).toContain("CREATE DATABASE IF NOT EXISTS `my_shop`");
  expect(shop).toContain("GRANT ALL ON `my\\_shop`.* TO 'app'@'%'");
  expect(await said("it's", { sign, isOver: 0 })).toEqual([]);
  expect(await said("new", { sign, isOver: 0, until: "2026-01-01 00:00:00" })).toEqual([
    `ALTER ${user} IDENTIFIED BY 'new' RETAIN CURRENT PASSWORD ATTRIBUTE`,
  ]);
  expect(await said("it's", { sign, isOver: 1 })).toEqual([
    `ALTER ${user} DISCARD OLD PASSWORD`,
    `ALTER ${user} ATTRIBUTE`,
  ]);
});

/** The statements of a step, to a server that has an event. */
async function saidFor(step: SqlStep): Promise<string[]> {
  const statements: string[] = [];
  const event = { db: "app", name: "tick", definer: "a@`b@%", mode: "ANSI_QUOTES" };
  const sessions = await sessionsWith(answering([event], statements));
  await sessions.look(true);
  await sessions.act(step);
  return statements.slice(1);
}

/** The statements that make a user, or change its password, after the question whether there is one. */
async function all(password: string, known?: Row, database = "app"): Promise<string[]> {
  const statements: string[] = [];
  await ensureAccount(answering(known ? [known] : [], statements), { database }, password, "key");
  return statements.slice(1);
}

/** The sessions with one server. */
async function sessionsWith(session: Session | Promise<never>): Promise<SqlSessions> {
  const pod = { namespace: "default", name: "db-0", pod: "uid", host: "10.0.0.1", ordinal: 0 };
  const works = { isOutdated: false, hasCertificate: false, isBroken: false, trouble: "" };
  const none = async () => Promise.reject(new Error("not asked for"));
  const effects = { places: async () => [{ ...pod, ...works }], restart: none, restoreHost: none };
  const sessions = new SqlSessions({ password: "", ca: undefined }, effects);
  await sessions.open(async () => session);
  return sessions;
}

/** A session whose every query has the same answer. */
function answering(rows: Row[], statements: string[] = []) {
  const query = async (sql: string) => {
    statements.push(sql);
    return rows;
  };
  return { query, close: () => undefined };
}
