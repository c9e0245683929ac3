import { type ChildProcess, execFileSync, spawn, spawnSync } from "node:child_process";
import {
  chmodSync,
  closeSync,
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  openSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { tmpdir, userInfo } from "node:os";
import { join } from "node:path";
import { limits } from "../../../.config/limits.ts";
import { eventually } from "../../support/eventually.ts";
import { watchLog } from "../../support/watched-process.ts";
import { ownPort } from "../../support/own-port.ts";

/** The application's password: it contains characters that must be escaped. */
export const appPassword = "it's\\app";

/** How a script ended. */
export interface ScriptResult {
  readonly code: number | null;
  readonly output: string;
}

/** One server of a replicated database, run by the scripts of the template. */
export interface DatabaseServer {
  readonly port: number;
  readonly isRunning: boolean;
  /** Runs one of the scripts with a container's environment; given variables override it. */
  script(name: string, more?: Record<string, string>): ScriptResult;
  /** Starts one of the scripts as the leader of a process group, so that it can be killed with its children. */
  run(name: string, more?: Record<string, string>, by?: readonly string[]): ChildProcess;
  start(): void;
  /** Ends the server with SIGTERM, and waits for its exit. */
  stop(signal?: NodeJS.Signals): Promise<void>;
  /** Waits until the server is ready, or has exited. */
  ready(): Promise<void>;
  /** Waits until the server has exited by itself, and returns its exit code. */
  ended(): Promise<number | null>;
  /** Deletes all data, as with a lost volume. */
  empty(): void;
  /** Keeps a copy of the data under a name, to be put back later. */
  save(name: string): void;
  putBack(name: string): void;
  /** A file of the data directory. */
  readData(name: string): string;
  writeData(name: string, content: string | undefined): void;
  hasData(name: string): boolean;
  /** Runs a statement as the application's user, or as another. */
  sql(statement: string, user?: { readonly name: string; readonly password: string }): ScriptResult;
  /** Runs statements in the background; resolves with the exit code. */
  load(
    statements: string,
    user?: { readonly name: string; readonly password: string },
  ): Promise<number | null>;
  /** Runs statements in the background, until one fails; resolves with the lines that were printed. */
  write(statements: string): Promise<string[]>;
  /** Writes a file beside the server's configuration, or deletes it. */
  configure(name: string, content: string | undefined): void;
  /** The termination message of the script that ended last. */
  report(): string;
  log(): string;
}

/** A folder for servers that share a primary; they don't run as root, as in a pod. */
export function databaseFolder(): { readonly path: string; remove(): void } {
  const path = mkdtempSync(join(tmpdir(), "database-"));
  chmodSync(path, 0o755);
  return { path, remove: () => rmSync(path, { recursive: true, force: true }) };
}

/** Starts servers as kubelet and operator do: the primary first, whose history then is recorded. */
export async function startServers(primary: DatabaseServer, ...replicas: DatabaseServer[]): Promise<void> {
  for (const server of [primary, ...replicas]) {
    const { code, output } = server.script("init.sh");
    if (code !== 0) throw new Error(output);
    if (server === primary)
      for (const one of [primary, ...replicas]) one.configure("initialized", primary.report());
    server.start();
    await server.ready();
  }
}

/** Creates a server's folders as in its pod. */
export async function databaseServer(
  folder: string,
  ordinal: number,
  files: Readonly<Record<string, string>>,
  primaryPort?: number,
): Promise<DatabaseServer> {
  const [config, data, runDir, temporary] = ["config", "data", "run", "tmp"].map((part) =>
    join(folder, `${part}-${ordinal}`),
  ) as [string, string, string, string];
  for (const path of [config, data, runDir, temporary]) mkdirSync(path, { recursive: true });
  for (const [name, content] of Object.entries(files)) {
    writeFileSync(join(config, name), content, { mode: name.endsWith(".sh") ? 0o755 : 0o644 });
  }
  if (userInfo().uid === 0) execFileSync("chown", ["-R", "mysql", data, runDir, config, temporary]);
  const port = await ownPort();
  const log = join(folder, `log-${ordinal}`);
  const report = join(runDir, "termination-log");
  writeFileSync(join(config, "primary"), `0 127.0.0.1 ${primaryPort ?? port}`);
  const env = {
    // A test may put programs of its own before the machine's.
    PATH: `${join(folder, "bin")}:${process.env["PATH"]}`,
    CONFIG: config,
    DATADIR: data,
    RUNDIR: runDir,
    // A server that starts deletes the temporary tables of all others in the same folder.
    TMPDIR: temporary,
    PORT: String(port),
    ORDINAL: String(ordinal),
    REPORT: report,
  };
  let server: ChildProcess | undefined;
  const words = (name: string): string[] => [...asMysql(), join(config, name)];
  const command = (name: string): [string, string[]] => [words(name)[0]!, words(name).slice(1)];
  const clientArgs = ({ name, password }: { name: string; password: string }): string[] => [
    "--no-defaults",
    "-h127.0.0.1",
    `-P${port}`,
    `-u${name}`,
    `-p${password}`,
  ];
  const one: DatabaseServer = {
    port,
    get isRunning() {
      return server !== undefined && server.exitCode === null && server.signalCode === null;
    },
    script: (name, more = {}) => {
      const { status, stdout, stderr } = spawnSync(...command(name), {
        env: { ...env, ...more },
        cwd: "/",
        // While it runs, the test can't reach its own limit.
        timeout: limits.build,
        killSignal: "SIGKILL",
        encoding: "utf8",
      });
      return { code: status, output: stdout + stderr };
    },
    run: (name, more = {}, by = []) => {
      const [program = "", ...args] = [...by, ...words(name)];
      return spawn(program, args, { env: { ...env, ...more }, cwd: "/", stdio: "ignore", detached: true });
    },
    start: () => {
      const out = openSync(log, "a");
      server = spawn(...command("start.sh"), { env, cwd: "/", stdio: ["ignore", out, out] });
      closeSync(out);
    },
    stop: async (signal = "SIGTERM") => {
      const child = server;
      server = undefined;
      if (!child || child.exitCode !== null) return;
      const ended = new Promise((resolve) => child.once("exit", resolve));
      child.kill(signal);
      await ended;
    },
    ready: async () => {
      await eventually(
        () => {
          const { code, output } = one.script("ready.sh");
          if (code !== 0) throw new Error(`not ready: ${output}`);
        },
        watchLog("the database", server!, () => one.log()),
      );
    },
    ended: async () => {
      const child = server!;
      if (one.isRunning) await new Promise((resolve) => child.once("exit", resolve));
      return child.exitCode;
    },
    empty: () => {
      for (const name of readdirSync(data)) rmSync(join(data, name), { recursive: true });
    },
    save: (name) => cpSync(data, `${data}-${name}`, copyAll),
    putBack: (name) => {
      one.empty();
      cpSync(`${data}-${name}`, data, copyAll);
      if (userInfo().uid === 0) execFileSync("chown", ["-R", "mysql", data]);
    },
    readData: (name) => readFileSync(join(data, name), "utf8"),
    hasData: (name) => existsSync(join(data, name)),
    writeData: (name, content) => {
      if (content === undefined) rmSync(join(data, name));
      else writeFileSync(join(data, name), content);
    },
    sql: (statement, user = { name: "app", password: appPassword }) => {
      const { status, stdout, stderr } = spawnSync("mariadb", [...clientArgs(user), "-N", "-e", statement], {
        encoding: "utf8",
      });
      return { code: status, output: (stdout + stderr).trim() };
    },
    load: (statements, user = { name: "app", password: appPassword }) => {
      const client = spawn("mariadb", clientArgs(user), {
        stdio: ["pipe", "ignore", "ignore"],
      });
      client.stdin.end(statements);
      return new Promise((resolve) => client.once("exit", resolve));
    },
    write: (statements) => {
      const client = spawn(
        "mariadb",
        [...clientArgs({ name: "app", password: appPassword }), "-N", "--unbuffered"],
        {
          stdio: ["pipe", "pipe", "ignore"],
        },
      );
      let printed = "";
      client.stdout.on("data", (chunk: Buffer) => (printed += chunk.toString()));
      // It ends before it has read everything.
      client.stdin.on("error", () => undefined);
      client.stdin.end(statements);
      return new Promise((resolve) =>
        client.once("close", () => resolve(printed.split("\n").filter((line) => line !== ""))),
      );
    },
    configure: (name, content) => {
      if (content === undefined) rmSync(join(config, name), { force: true });
      else {
        // As a whole, as the kubelet does: scripts read it meanwhile.
        const mode = name.endsWith(".sh") ? 0o755 : 0o644;
        writeFileSync(join(config, `${name}.new`), content, { mode });
        renameSync(join(config, `${name}.new`), join(config, name));
      }
    },
    report: () => readFileSync(report, "utf8").trim(),
    log: () => readFileSync(log, "utf8"),
  };
  return one;
}

const copyAll = { recursive: true, preserveTimestamps: true };

function asMysql(): string[] {
  return userInfo().uid === 0
    ? ["setpriv", "--reuid", "mysql", "--regid", "mysql", "--clear-groups", "bash"]
    : ["bash"];
}
