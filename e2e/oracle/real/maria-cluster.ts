import { chmodSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { FakeClock } from "@tsbuilder/apimachinery/time";
import { othersOf } from "../../golden/maria-operator/src/controller/maria_primary.ts";
import { eventually } from "../../support/eventually.ts";
import {
  databaseFolder,
  type DatabaseServer,
  databaseServer,
  type ScriptResult,
} from "./database-servers.ts";
import { credentials, mariaFiles } from "./maria-files.ts";
import { PasswordKeeper } from "./maria-passwords.ts";

/**
 * A primary and its replicas, run by the template's scripts as real processes. It does what kubelet and operator do:
 * starts what has ended, records history and primary, and gives replicas new pods that have to be seeded anew.
 */
export class MariaCluster {
  readonly folder = databaseFolder();
  readonly backups = join(this.folder.path, "backups");
  readonly servers: DatabaseServer[] = [];
  /** The ordinal of the recorded primary. */
  primary = 0;
  /** The operator's time. */
  readonly clock = new FakeClock();
  readonly keeper = new PasswordKeeper(this.servers, this.clock, credentials);
  /** Replicas that ended because they have what the primary lacks. */
  readonly ahead = new Set<number>();

  /** The folder for system tables is shared by all clusters of a test. */
  async start(size: number, tables: string): Promise<this> {
    mkdirSync(this.backups);
    chmodSync(this.backups, 0o777);
    this.#shareSystemTables(tables);
    this.#shiftDate();
    for (let ordinal = 0; ordinal < size; ordinal += 1) {
      const port = this.servers[0]?.port;
      this.servers.push(await databaseServer(this.folder.path, ordinal, mariaFiles(), port));
    }
    this.#expectPod(0);
    await this.current.ready();
    this.current.sql("CREATE TABLE shop.t (id INT PRIMARY KEY)", root);
    await this.settle();
    return this;
  }

  async stop(): Promise<void> {
    for (const server of this.servers) await server.stop("SIGKILL");
    this.folder.remove();
  }

  get current(): DatabaseServer {
    return this.servers[this.primary]!;
  }

  get replicas(): number[] {
    return this.servers.map((_, ordinal) => ordinal).filter((ordinal) => ordinal !== this.primary);
  }

  /** A new pod: init container, then the server. */
  pod(ordinal: number): ScriptResult {
    const server = this.servers[ordinal]!;
    const result = server.script("init.sh");
    if (result.code !== 0) return result;
    if (ordinal === this.primary) this.#tell("initialized", server.report());
    server.start();
    return result;
  }

  record(primary: number): void {
    this.primary = primary;
    this.#tell("primary", `${primary} 127.0.0.1 ${this.current.port}`);
  }

  /** Waits until the primary is ready, and every replica either agrees with it or says that it is ahead. */
  async settle(): Promise<void> {
    if (!this.current.isRunning) this.#expectPod(this.primary);
    await this.current.ready();
    this.ahead.clear();
    for (const ordinal of this.replicas) await this.#settleReplica(ordinal);
  }

  /** The ids of all rows of a server. */
  idsOf(server: DatabaseServer): Set<number> {
    const { code, output } = server.sql("SELECT id FROM shop.t", root);
    if (code !== 0) throw new Error(output);
    return new Set(output.split("\n").filter(Boolean).map(Number));
  }

  switchTo(ordinal: number, more: Record<string, string> = {}): ScriptResult {
    return this.current.script("switch.sh", { ...this.addressOf(ordinal), ...more });
  }

  /** The variables that the operator passes to the Job. */
  addressOf(ordinal: number): Record<string, string> {
    const others = othersOf(this.servers.length, this.primary, ordinal);
    return {
      TARGET_HOST: "127.0.0.1",
      TARGET_PORT: String(this.servers[ordinal]!.port),
      OTHER_HOSTS: others.map((other) => `127.0.0.1:${this.servers[other]!.port}`).join(" "),
    };
  }

  async #settleReplica(ordinal: number): Promise<void> {
    const server = this.servers[ordinal]!;
    if (!server.isRunning) this.#expectPod(ordinal);
    for (;;) {
      await eventually(() => !server.isRunning || this.#hasCaughtUp(server));
      if (server.isRunning) {
        const [mine, its] = [server, this.current].map((one) => one.sql(checksum, root).output);
        if (mine !== its) throw new Error(`replica ${ordinal} is ready and disagrees: ${mine}, not ${its}`);
        return;
      }
      const code = await server.ended();
      if (code === 5) {
        this.ahead.add(ordinal);
        return;
      }
      if (code === 4) this.#expectPod(ordinal);
      else server.start();
    }
  }

  /** True if a replica is connected and ready, and has applied all of the primary's writes, while nobody writes. */
  #hasCaughtUp(server: DatabaseServer): boolean {
    const connected = /\tYes\tYes\t/.test(server.sql("SHOW SLAVE STATUS", root).output);
    if (!connected || server.script("ready.sh").code !== 0) return false;
    const { output: position } = this.current.sql("SELECT @@gtid_binlog_pos", root);
    return server.sql(`SELECT MASTER_GTID_WAIT('${position}', 0)`, root).output === "0";
  }

  #expectPod(ordinal: number): void {
    const { code, output } = this.pod(ordinal);
    if (code !== 0) throw new Error(`server ${ordinal} does not start: ${output}`);
  }

  #tell(file: string, content: string): void {
    for (const server of this.servers) server.configure(file, content);
  }

  /** Sets the date that scripts see to this many seconds from now. */
  setClock(seconds: number): void {
    writeFileSync(join(this.folder.path, "bin/offset"), String(seconds));
  }

  #shiftDate(): void {
    const bin = join(this.folder.path, "bin");
    const lines = [
      "#!/usr/bin/env bash",
      'PATH="${PATH#*:}"',
      `exec date --date="@$(($(date +%s) + $(cat ${bin}/offset)))" "$@"`,
    ];
    writeFileSync(join(bin, "date"), `${lines.join("\n")}\n`, { mode: 0o755 });
    this.setClock(0);
  }

  /** Making the system tables takes seconds: they are made once, and copied. */
  #shareSystemTables(tables: string): void {
    const bin = join(this.folder.path, "bin");
    mkdirSync(bin);
    const lines = [
      "#!/usr/bin/env bash",
      'for word; do case "$word" in --datadir=*) data="${word#*=}" ;; esac; done',
      `[ ! -d ${tables}/made ] || exec cp -a ${tables}/made/. "$data"`,
      'PATH="${PATH#*:}" mariadb-install-db "$@"',
      `cp -a "$data" ${tables}/new && mv ${tables}/new ${tables}/made`,
    ];
    writeFileSync(join(bin, "mariadb-install-db"), `${lines.join("\n")}\n`, { mode: 0o755 });
  }
}

export const root = { name: "root", password: credentials.root };

const checksum = "CHECKSUM TABLE shop.t";
