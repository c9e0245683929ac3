/*
 * SPDX-License-Identifier: Apache-2.0
 */

import { createHash } from "node:crypto";
import type { Desired } from "@tsbuilder/runtime";
import type { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import { type Credentials, encode, KEPT } from "./maria_credentials.ts";
import { ALLOW_REINIT_ANNOTATION, hostOf, labelsOf, namesOf, PORT } from "./maria_names.ts";
import backup from "./maria_scripts/backup.sh";
import flavour from "./maria_scripts/flavour.sh";
import init from "./maria_scripts/init.sh";
import ready from "./maria_scripts/ready.sh";
import restore from "./maria_scripts/restore.sh";
import start from "./maria_scripts/start.sh";
import switchOver from "./maria_scripts/switch.sh";

/** Path of the configuration in the servers' pods. */
export const CONFIG_PATH = "/etc/mysql-operator";

/** The inputs of the servers' configuration files. Servers read them at startup, so pods are replaced on a change. */
export type ServerFiles = Readonly<Record<string, string>>;

/** Generates the files that a server reads at startup. */
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

/** Hashes of the files for the pods' annotations: of all files, and of the settings only. */
export interface FileHashes {
  readonly all: string;
  readonly settings: string;
}

export function hashesOf(files: ServerFiles): FileHashes {
  const all = JSON.stringify(Object.entries(files).toSorted());
  return { all: hashOf(all), settings: hashOf(files["my.cnf"] ?? "") };
}

/**
 * The Secret that is mounted into the pods: a Secret, because the statements contain passwords. Scripts are not hashed,
 * so new ones restart no server: those of a server take effect at its next start, those of probes and Jobs at once.
 */
export function configSecretFor(
  mysql: Maria,
  files: ServerFiles,
  primary: number,
  history?: string,
): Desired<Secret> {
  const allowReinit = mysql.metadata.annotations?.[ALLOW_REINIT_ANNOTATION] !== undefined;
  const content = {
    ...files,
    ...{ "flavour.sh": flavour, "init.sh": init, "start.sh": start, "ready.sh": ready },
    ...{ "backup.sh": backup, "restore.sh": restore, "switch.sh": switchOver },
    primary: `${primary} ${hostOf(mysql, primary)} ${PORT}`,
    ...(history ? { initialized: history } : {}),
    ...(allowReinit ? { "allow-reinit": "true" } : {}),
  };
  return {
    metadata: { name: namesOf(mysql).config, labels: labelsOf(mysql, "config") },
    type: "Opaque",
    data: encode(content),
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

/** The image's own configuration files are not read. The spec's settings come after these and override them. */
const DEFAULT_SETTINGS = [
  "skip-name-resolve",
  "character-set-server=utf8mb4",
  // Committed transactions survive a power failure in the log.
  "sync-binlog=1",
  // Logs are kept for three days, even without a replica. Only full logs are purged, so they are small. Servers ignore
  // unknown settings with the prefix "loose"; MariaDB 11.4 and later would keep all logs while no replica is connected.
  "max-binlog-size=64M",
  "loose-binlog-expire-logs-seconds=259200",
  "loose-slave-connections-needed-for-purge=0",
];

/**
 * Statements that run at every start of a server, so a password rotation is a restart. They are not written to the
 * binary log: each server runs its own. A failing statement silently ends the file, hence the IF EXISTS.
 */
function initStatements(mysql: Maria, credentials: Credentials): string {
  const { username = "app", database } = mysql.spec;
  const statements = [
    "SET SESSION sql_log_bin=0",
    // Backslashes must escape here, whatever sql_mode the settings have.
    "SET SESSION sql_mode=''",
    ...(database ? [`CREATE DATABASE IF NOT EXISTS \`${database}\``] : []),
    ...user("root", "localhost", credentials.root, "ALL", "*.*", " WITH GRANT OPTION"),
    ...user("root", "%", credentials.root, "ALL", "*.*", " WITH GRANT OPTION"),
    // Older installations have these without a password.
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
 * Gives a user all privileges on its database, or on all but the server's own. Only the most specific grant applies: so
 * a harmless one on the server's own databases hides the one on all. Other privileges are revoked at startup.
 */
function applicationUser(name: string, password: string, database: string | undefined): string[] {
  const account = `'${name}'@'%'`;
  return [
    ...user(name, "%", password, "USAGE", "*.*"),
    `REVOKE ALL PRIVILEGES, GRANT OPTION FROM ${account}`,
    // An unescaped _ matches any character here.
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

/** Escapes a string for single quotes. */
function sqlText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "''");
}

function clientOptions(user: string, password: string): string {
  const quoted = password.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `[client]\ndefault-character-set=utf8mb4\nuser=${user}\npassword="${quoted}"\n`;
}
