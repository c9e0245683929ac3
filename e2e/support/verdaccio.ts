import { spawn, spawnSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, writeFileSync } from "node:fs";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";
import { eventually } from "./eventually.ts";
import { ownPort } from "./own-port.ts";
import { run, plainEnvironment } from "./shell.ts";
import { watchProcess } from "./watched-process.ts";

/** A registry of one's own on loopback, to which anybody may publish; what it doesn't have it gets from the machine's. */
export interface Verdaccio {
  readonly url: string;
  /** Publishes the tarballs of a release, in its order. */
  publish(folder: string, fileNames: readonly string[]): Promise<void>;
  stop(): Promise<void>;
}

const version = "6.8.0";

/** Installs Verdaccio outside of the checkout, once; returns what is missing if it can't be. */
export function prepareVerdaccio(): { readonly program: string } | { readonly missing: string } {
  const cache = join(process.env["XDG_CACHE_HOME"] ?? join(homedir(), ".cache"), "tsbuilder");
  const folder = join(cache, `verdaccio-${version}`);
  const program = join(folder, "node_modules/verdaccio/bin/verdaccio");
  if (existsSync(program)) return { program };
  mkdirSync(cache, { recursive: true });
  const work = mkdtempSync(join(cache, "verdaccio-"));
  // It asks for a tag of node-fetch that not all registries have.
  const manifest = {
    private: true,
    dependencies: { verdaccio: version },
    overrides: { "node-fetch": "2.7.0" },
  };
  writeFileSync(join(work, "package.json"), JSON.stringify(manifest));
  const { status, stderr } = spawnSync("npm", ["install", "--ignore-scripts", "--no-audit", "--no-fund"], {
    cwd: work,
    encoding: "utf8",
    env: plainEnvironment(),
  });
  if (status === 0) renameSync(work, folder);
  rmSync(work, { recursive: true, force: true });
  return status === 0
    ? { program }
    : { missing: `Verdaccio does not install here: ${stderr.split("\n")[0]}` };
}

export async function startVerdaccio(program: string): Promise<Verdaccio> {
  const folder = mkdtempSync(join(tmpdir(), "tsbuilder-verdaccio-"));
  const upstream = spawnSync("npm", ["config", "get", "registry"], { encoding: "utf8" }).stdout.trim();
  const port = await ownPort();
  const url = `http://127.0.0.1:${port}/`;
  const ours = { access: "$all", publish: "$all", unpublish: "$all" };
  const config = {
    storage: join(folder, "storage"),
    uplinks: {
      machine: {
        url: upstream,
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
  await eventually(async () => {
    const { ok } = await fetch(`${url}-/ping`);
    if (!ok) throw new Error("Verdaccio does not answer yet");
  }, watch);
  const npmrc = join(folder, "npmrc");
  // npm publishes only with a token, and Verdaccio lets anybody.
  writeFileSync(npmrc, `registry=${url}\n//127.0.0.1:${port}/:_authToken=anybody\n`);
  return {
    url,
    async publish(from, fileNames) {
      const shell = { folder: from, env: { npm_config_userconfig: npmrc } };
      for (const name of fileNames) await run(shell, "npm", "publish", `./${name}`);
    },
    async stop() {
      await stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}
