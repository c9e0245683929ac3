/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { createHash } from "node:crypto";
import type { Desired } from "@tsbuilder/runtime";
import type { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { type Credentials, KEPT } from "./maria_credentials.ts";
import { ALLOW_REINIT_ANNOTATION, labelsOf, namesOf } from "./maria_names.ts";
import backup from "./maria_scripts/backup.sh";
import flavour from "./maria_scripts/flavour.sh";
import init from "./maria_scripts/init.sh";
import ready from "./maria_scripts/ready.sh";
import restore from "./maria_scripts/restore.sh";
import start from "./maria_scripts/start.sh";

/** Where the servers find their configuration. */
export const CONFIG_PATH = "/etc/mysql-operator";

/** What the servers' own files hold. Pods are replaced when it changes, because a server reads it at its start. */
export type ServerFiles = Readonly<Record<string, string>>;

/** Writes the files that a server reads at its start. */
export function serverFiles(mysql: Maria, credentials: Credentials): ServerFiles {
  return {
    "my.cnf": settings(mysql),
    "init.sql": initStatements(mysql, credentials),
    "root.cnf": clientOptions("root", credentials.root),
    "probe.cnf": clientOptions("operator_probe", credentials.probe),
    "backup.cnf": clientOptions("operator_backup", credentials.backup),
    ...Object.fromEntries(
      Object.entries(credentials).map(([user, password]) => [`${KEPT}${user}`, password]),
    ),
  };
}

/** Short names of the files' content, for the pods' annotations: of all, and of the settings among them. */
export interface FileHashes {
  readonly all: string;
  readonly settings: string;
}

export function hashesOf(files: ServerFiles): FileHashes {
  const all = JSON.stringify(Object.entries(files).toSorted());
  return { all: hashOf(all), settings: hashOf(files["my.cnf"] ?? "") };
}

/**
 * The Secret that is mounted into the pods: a Secret, because the statements hold passwords. Scripts and marks are
 * left out of the hash: they work without a restart.
 */
export function configSecretFor(
  mysql: Maria,
  files: ServerFiles,
  { initialized = false } = {},
): Desired<Secret> {
  const allowReinit = mysql.metadata.annotations?.[ALLOW_REINIT_ANNOTATION] !== undefined;
  const content = {
    ...files,
    ...{ "flavour.sh": flavour, "init.sh": init, "start.sh": start, "ready.sh": ready },
    ...{ "backup.sh": backup, "restore.sh": restore },
    ...(initialized ? { initialized: "true" } : {}),
    ...(allowReinit ? { "allow-reinit": "true" } : {}),
  };
  return {
    metadata: { name: namesOf(mysql).config, labels: labelsOf(mysql, "config") },
    type: "Opaque",
    data: Object.fromEntries(
      Object.entries(content).map(([key, value]) => [key, Buffer.from(value).toString("base64")]),
    ),
  };
}

function hashOf(text: string): string {
  return createHash("sha256").update(text).digest("hex").slice(0, 16);
}

function settings({ spec }: Maria): string {
  const own = Object.entries(spec.config ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  return `${["[mysqld]", ...DEFAULT_SETTINGS, ...own].join("\n")}\n`;
}

/** Nothing of the image's own files is read. The spec's settings come after these, and so win. */
const DEFAULT_SETTINGS = [
  "skip-name-resolve",
  "character-set-server=utf8mb4",
  // What a client was told is committed is in the log after a loss of power, too.
  "sync-binlog=1",
  // Logs are kept for three days, and for all that a replica may be away. Only full ones go, so they are small. Servers
  // that don't know a setting pass over "loose"; MariaDB from 11.4 on else keeps all logs while no replica is there.
  "max-binlog-size=64M",
  "loose-binlog-expire-logs-seconds=259200",
  "loose-slave-connections-needed-for-purge=0",
];

/**
 * Statements that run at every start of a server, so a rotation is a restart. They stay out of the log that replicas
 * read: each server runs its own. A statement that fails ends the file without a word, hence the careful IF EXISTS.
 */
function initStatements(mysql: Maria, credentials: Credentials): string {
  const { username = "app", database } = mysql.spec;
  const statements = [
    "SET SESSION sql_log_bin=0",
    // Whatever mode the settings ask for, a backslash escapes here.
    "SET SESSION sql_mode=''",
    ...(database ? [`CREATE DATABASE IF NOT EXISTS \`${database}\``] : []),
    ...user("root", "localhost", credentials.root, "ALL", "*.*", " WITH GRANT OPTION"),
    ...user("root", "%", credentials.root, "ALL", "*.*", " WITH GRANT OPTION"),
    // Older installations leave these without a password.
    "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1'",
    ...user("operator_probe", "localhost", credentials.probe, "REPLICATION CLIENT", "*.*"),
    ...user("operator_backup", "%", credentials.backup, BACKUP_PRIVILEGES, "*.*"),
    ...user("operator_replication", "%", credentials.replication, "REPLICATION SLAVE", "*.*"),
    "/*M!100502 GRANT SLAVE MONITOR ON *.* TO 'operator_probe'@'localhost', 'operator_backup'@'%' */",
    ...(username === "root" ? [] : applicationUser(username, credentials.app, database)),
  ];
  return `${statements.join(";\n")};\n`;
}

/**
 * A user that owns its database, or without one all but the server's own, where it could make itself an administrator.
 * Of the databases that a grant stands for, the server takes the one that is named best: so a right on the server's own
 * that is worth nothing hides what is granted on all. Other rights than these are gone after a start.
 */
function applicationUser(name: string, password: string, database: string | undefined): string[] {
  const account = `'${name}'@'%'`;
  return [
    ...user(name, "%", password, "USAGE", "*.*"),
    `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${account}`,
    // A plain _ stands for any letter here.
    `GRANT ALL ON \`${database?.replaceAll("_", "\\_") ?? "%"}\`.* TO ${account}`,
    ...(database
      ? []
      : ["mysql", "sys", "performance_schema"].map(
          (own) => `GRANT REFERENCES ON \`${own}\`.* TO ${account}`,
        )),
  ];
}

const BACKUP_PRIVILEGES =
  "SELECT, RELOAD, PROCESS, LOCK TABLES, SHOW VIEW, TRIGGER, EVENT, REPLICATION CLIENT";

function user(
  name: string,
  host: string,
  password: string,
  privileges: string,
  on: string,
  more = "",
): string[] {
  const account = `'${name}'@'${host}'`;
  const identified = `IDENTIFIED BY '${sqlText(password)}'`;
  return [
    `CREATE USER IF NOT EXISTS ${account} ${identified}`,
    `ALTER USER ${account} ${identified}`,
    `GRANT ${privileges} ON ${on} TO ${account}${more}`,
  ];
}

/** A text that may stand between single quotes. */
function sqlText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "''");
}

function clientOptions(user: string, password: string): string {
  const quoted = password.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `[client]\ndefault-character-set=utf8mb4\nuser=${user}\npassword="${quoted}"\n`;
}
