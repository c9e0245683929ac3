import { spawn, spawnSync } from "node:child_process";
import {
  cpSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { execa } from "execa";
import { shortPauses } from "../../../src/cli/packages/install-dependencies.ts";
import { eventually } from "../eventually.ts";
import { ownPort } from "../own-port.ts";
import { run, plainEnvironment } from "../shell.ts";
import { watchProcess } from "../watched-process.ts";

/** A registry of one's own on loopback, to which anybody may publish; what it doesn't have it gets from the machine's. */
export interface Verdaccio {
  readonly url: string;
  /** Publishes the tarballs of a release, in its order. */
  publish(folder: string, fileNames: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

/** Its `package.json`, for an override too: one of its packages asks for a tag of node-fetch that not all registries have. */
const manifestFolder = join(import.meta.dirname, "verdaccio");

/**
 * Installs Verdaccio outside of the checkout, once, in the versions of its lock file; returns what is missing if it
 * can't be. With `TSBUILDER_NEEDS_REGISTRY` in the environment that is an error.
 */
export async function prepareVerdaccio(
  environment: NodeJS.ProcessEnv = process.env,
): Promise<{ readonly program: string } | { readonly missing: string }> {
  const cache = join(environment["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder");
  const { dependencies } = JSON.parse(readFileSync(join(manifestFolder, "package.json"), "utf8")) as {
    readonly dependencies: { readonly verdaccio: string };
  };
  const folder = join(cache, `verdaccio-${dependencies.verdaccio}`);
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return { program };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "verdaccio-"));
  try {
    cpSync(manifestFolder, work, { recursive: true });
    const why = await install(work, environment);
    if (why === undefined) return { program: move(work, folder, program) };
    const missing = `Verdaccio does not install here: ${why}`;
    if (environment["TSBUILDER_NEEDS_REGISTRY"]) throw new Error(missing);
    return { missing };
  } finally {
    rmSync(work, { recursive: true, force: true });
  }
}

/** Returns why it failed; a test runner's worker must go on meanwhile. */
async function install(cwd: string, environment: NodeJS.ProcessEnv): Promise<string | undefined> {
  const flags = ["--ignore-scripts", "--no-audit", "--no-fund", ...shortPauses];
  const { failed, stderr, shortMessage } = await execa("npm", ["ci", ...flags], {
    cwd,
    env: { ...plainEnvironment(environment), npm_config_registry: machineRegistry(environment) },
    extendEnv: false,
    reject: false,
    stdin: "ignore",
    timeout: 300_000,
  });
  if (!failed) return undefined;
  return stderr.split("\n").find((line) => line.startsWith("npm error")) ?? shortMessage;
}

/** Another process may have been faster. */
function move(work: string, folder: string, program: string): string {
  try {
    renameSync(work, folder);
  } catch (error) {
    if (!existsSync(program)) throw error;
  }
  return program;
}

/** Also a mirror that only the environment names, of which `plainEnvironment` knows nothing. */
function machineRegistry(environment: NodeJS.ProcessEnv): string {
  const { stdout } = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8", env: environment });
  return stdout?.trim() || "https://registry.npmjs.org/";
}

/** Starts it; where it does not install, says that a journey is left out, and returns why. */
export async function startRegistry(
  journey: string,
): Promise<{ readonly registry?: Verdaccio; readonly missing?: string }> {
  const prepared = await prepareVerdaccio();
  if ("program" in prepared) return { registry: await startVerdaccio(prepared.program) };
  console.log(`left out: ${journey}: ${prepared.missing}`);
  return prepared;
}

async function startVerdaccio(program: string): Promise<Verdaccio> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-verdaccio-"));
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}/`;
  const ours = { access: "$all", publish: "$all", unpublish: "$all" };
  const config = {
    storage: join(folder, "storage"),
    uplinks: {
      machine: {
        url: machineRegistry(process.env),
        cache: false,
        // By default it is left alone for five minutes after two failures.
        max_fails: 100,
        timeout: "120s",
        maxage: "30m",
      },
    },
    // Our names are never asked for elsewhere.
    packages: {
      "@tsbuilder/*": ours,
      tsbuilder: ours,
      "create-tsbuilder": ours,
      "**": { access: "$all", proxy: "machine" },
    },
    max_body_size: "20mb",
    log: { type: "stdout", format: "json", level: "warn" },
  };
  // JSON is YAML.
  writeFileSync(join(folder, "config.yaml"), JSON.stringify(config));
  const child = spawn(process.execPath, [program, "--config", join(folder, "config.yaml"), "--listen", url], {
    cwd: folder,
    env: plainEnvironment(),
    stdio: ["ignore", "pipe", "pipe"],
  });
  const { watch, stop } = watchProcess("verdaccio", child);
  const end = async (): Promise<void> => {
    await stop();
    rmSync(folder, { recursive: true, force: true });
  };
  try {
    await eventually(async () => {
      const { ok } = await fetch(`${url}-/ping`);
      if (!ok) throw new Error("Verdaccio does not answer yet");
    }, watch);
  } catch (error) {
    await end();
    throw error;
  }
  const npmrc = join(folder, "npmrc");
  // npm publishes only with a token, and Verdaccio lets anybody.
  writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=anybody\n`);
  return {
    url,
    async publish(from, fileNames) {
      const shell = { folder: from, env: { npm_config_userconfig: npmrc } };
      for (const name of fileNames) await run(shell, "npm", "publish", `./${name}`);
    },
    stop: end,
  };
}
