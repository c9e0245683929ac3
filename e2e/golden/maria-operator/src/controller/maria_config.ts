/*
 * SPDX-License-Identifier: Apache-2.0
 */

import type { Desired, Stored } from "@tsbuilder/runtime";
import type { Secret } from "@tsbuilder/runtime/k8s/core/v1";
import type { Maria } from "../../api/v1/maria_types.ts";
import {
  ALLOW_REINIT_ANNOTATION,
  hostOf,
  labelsOf,
  namesOf,
  PORT,
  ROTATE_ANNOTATION,
} from "./maria_names.ts";
import { ACCEPTED, type Passwords, REPLACED, type User } from "./maria_passwords.ts";
import backup from "./maria_scripts/backup.sh";
import flavour from "./maria_scripts/flavour.sh";
import init from "./maria_scripts/init.sh";
import changePasswords from "./maria_scripts/passwords.sh";
import ready from "./maria_scripts/ready.sh";
import restore from "./maria_scripts/restore.sh";
import start from "./maria_scripts/start.sh";
import switchOver from "./maria_scripts/switch.sh";
import { encode } from "./maria_secrets.ts";
import type { TlsFiles } from "./maria_tls.ts";

/** Path of the configuration in the servers' pods. */
export const CONFIG_PATH = "/etc/mysql-operator";

/** The files of the servers' Secret, but the scripts. */
export type ServerFiles = Readonly<
  Record<string, string> & Record<"my.cnf" | "init.sql" | "passwords.sql", string>
>;

/** Generates the files that a server reads. */
export function serverFiles(mysql: Stored<Maria>, passwords: Passwords): ServerFiles {
  const { current, next, former } = passwords;
  const kept = { password: current, next, former };
  return {
    "my.cnf": settings(mysql),
    "init.sql": initStatements(mysql),
    "passwords.sql": passwordStatements(mysql, passwords),
    "root.cnf": clientOptions("root", current.root),
    "probe.cnf": clientOptions("operator_probe", current.probe),
    "backup.cnf": clientOptions("operator_backup", current.backup),
    ...Object.fromEntries(
      Object.entries(kept).flatMap(([which, group]) =>
        Object.entries(group).map(([user, password]) => [`${which}-${user}`, password]),
      ),
    ),
  };
}

/** What servers have to know, and what the operator remembers. */
export interface Recorded extends Pick<Passwords, "replaced" | "asked"> {
  readonly primary: number;
  readonly usesTls?: boolean;
  readonly accepted?: string | undefined;
  readonly history?: string | undefined;
}

/**
 * The Secret that is mounted into the pods: a Secret, because the statements contain passwords. Scripts are not hashed,
 * so new ones restart no server: those of a server take effect at its next start, those of probes and Jobs at once.
 */
export function configSecretFor(
  mysql: Stored<Maria>,
  files: ServerFiles & Partial<TlsFiles>,
  { primary, usesTls, accepted, history, replaced, asked }: Recorded,
): Desired<Secret> {
  const allowReinit = mysql.metadata.annotations?.[ALLOW_REINIT_ANNOTATION] !== undefined;
  const content = {
    ...files,
    ...{ "flavour.sh": flavour, "init.sh": init, "start.sh": start, "ready.sh": ready },
    ...{ "backup.sh": backup, "restore.sh": restore, "switch.sh": switchOver },
    "passwords.sh": changePasswords,
    primary: `${primary} ${hostOf(mysql, primary)} ${PORT}${usesTls ? " tls" : ""}`,
    ...(history ? { initialized: history } : {}),
    ...(allowReinit ? { "allow-reinit": "true" } : {}),
  };
  const annotations = {
    ...(accepted ? { [ACCEPTED]: accepted } : {}),
    ...(replaced ? { [REPLACED]: replaced } : {}),
    ...(asked === undefined ? {} : { [ROTATE_ANNOTATION]: asked }),
  };
  return {
    metadata: { name: namesOf(mysql).config, labels: labelsOf(mysql, "config"), annotations },
    type: "Opaque",
    data: encode(content),
  };
}

function settings({ spec }: Maria): string {
  const own = Object.entries(spec.config ?? {})
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => `${name}=${value}`);
  const tls = spec.tls?.required ? ["require-secure-transport=ON"] : [];
  return `${["[mysqld]", ...DEFAULT_SETTINGS, ...tls, ...own].join("\n")}\n`;
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
 * Statements that create all users with their passwords, at every start of a server and in a rotation. They are not
 * written to the binary log: each server runs its own. A failing one silently ends the file.
 */
function passwordStatements({ spec }: Maria, { current, next, former }: Passwords): string {
  const { username = "app" } = spec;
  const accounts: [user: User, account: string][] = [
    ["root", "'root'@'localhost'"],
    ["root", "'root'@'%'"],
    ["probe", "'operator_probe'@'localhost'"],
    ["backup", "'operator_backup'@'%'"],
    ["replication", "'operator_replication'@'%'"],
    ...(username === "root" ? [] : [["app", `'${username}'@'%'`] as [User, string]]),
  ];
  const statements = accounts.flatMap(([user, account]) =>
    identify(account, next[user] ?? current[user], next[user] ? current[user] : former[user]),
  );
  // Backslashes must escape here, whatever sql_mode the settings have.
  const session = ["SET SESSION sql_log_bin=0", "SET SESSION sql_mode=''"];
  return `${[...session, ...statements].join(";\n")};\n`;
}

/** MariaDB has users with several ways to log in, MySQL those with two passwords. */
function identify(account: string, password: string, other: string | undefined): string[] {
  const [by, byOther] = [password, other ?? ""].map((text) => `'${sqlText(text)}'`);
  const create = `CREATE USER IF NOT EXISTS ${account} IDENTIFIED BY ${by}`;
  const alter = `ALTER USER ${account}`;
  const first = `${alter} IDENTIFIED BY ${by}`;
  if (other === undefined) return [create, first, either(NOTHING, `${alter} DISCARD OLD PASSWORD`)];
  const ways = [by, byOther].map((text) => `mysql_native_password USING PASSWORD(${text})`);
  return [
    create,
    either(`${alter} IDENTIFIED VIA ${ways.join(" OR ")}`, `${alter} IDENTIFIED BY ${byOther}`),
    either(NOTHING, `${first} RETAIN CURRENT PASSWORD`),
  ];
}

/** A statement of MariaDB and one of MySQL: each ignores the other's. A file of statements ends at an empty one. */
function either(mariadb: string, mysql: string): string {
  return `/*M! ${mariadb} */ /*!80014 ${mysql} */`;
}

const NOTHING = "DO 0";

/** Statements that run after them at every start. */
function initStatements({ spec }: Maria): string {
  const { username = "app", database } = spec;
  const statements = [
    ...(database ? [`CREATE DATABASE IF NOT EXISTS \`${database}\``] : []),
    // The system tables are made with these, without a password.
    "DROP USER IF EXISTS 'root'@'127.0.0.1', 'root'@'::1'",
    "GRANT ALL ON *.* TO 'root'@'localhost', 'root'@'%' WITH GRANT OPTION",
    "GRANT REPLICATION CLIENT ON *.* TO 'operator_probe'@'localhost'",
    `GRANT ${BACKUP_PRIVILEGES} ON *.* TO 'operator_backup'@'%'`,
    "GRANT REPLICATION SLAVE ON *.* TO 'operator_replication'@'%'",
    either(
      "GRANT SLAVE MONITOR ON *.* TO 'operator_probe'@'localhost', 'operator_backup'@'%'",
      NOTHING,
    ),
    ...(username === "root" ? [] : applicationGrants(username, database)),
  ];
  return `${statements.join(";\n")};\n`;
}

/**
 * Gives a user all privileges on its database, or on all but the server's own. Only the most specific grant applies: so
 * a harmless one on the server's own databases hides the one on all. Other privileges are revoked at startup.
 */
function applicationGrants(name: string, database: string | undefined): string[] {
  const account = `'${name}'@'%'`;
  return [
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

/** Escapes a string for single quotes, also within a comment, which would end at the first asterisk and slash. */
function sqlText(text: string): string {
  return text.replaceAll("\\", "\\\\").replaceAll("'", "''").replaceAll("*/", "*\\/");
}

function clientOptions(user: string, password: string): string {
  const quoted = password.replaceAll("\\", "\\\\").replaceAll('"', '\\"');
  return `[client]\ndefault-character-set=utf8mb4\nuser=${user}\npassword="${quoted}"\n`;
}
