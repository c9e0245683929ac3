import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { baseEnvironment, baseImages, writeBaseRoot } from "../../../support/registries/base-images.ts";
import { eventually } from "../../../support/eventually.ts";
import { registryHost } from "./addresses.ts";
import { installPackages } from "./debian-packages.ts";
import { writeImageArchive } from "./image-archive.ts";
import { insideShell } from "./inside-shell.ts";
import type { RealNode } from "./start-node.ts";

/** Docker Engine, podman, buildah and a registry that wants a login, all inside of a node's sandbox. */
export interface Engines {
  /** Where they are found, their images and their logins, for commands that run inside. */
  readonly env: Readonly<Record<string, string>>;
  /** The user whom the registry knows. */
  readonly login: { readonly user: string; readonly password: string };
}

const packages = {
  dockerd: "docker.io",
  "docker-registry": "docker-registry",
  podman: "podman",
  buildah: "buildah",
  curl: "curl",
};

/** Installs the engines unless they are there; returns why that can't be done. */
export function prepareEngines(): string | undefined {
  return installPackages(packages);
}

/** Starts them, with the base images of the scaffolded Dockerfile in each engine's store. */
export async function startEngines(node: RealNode): Promise<Engines> {
  const { folder } = node;
  const home = join(folder, "home");
  mkdirSync(home);
  const env = {
    HOME: home,
    DOCKER_HOST: `unix://${join(folder, "docker.sock")}`,
    DOCKER_CONFIG: join(home, ".docker"),
    REGISTRY_AUTH_FILE: join(home, ".docker/config.json"),
    CONTAINERS_STORAGE_CONF: writeStorage(folder),
    BUILDAH_ISOLATION: "chroot",
  };
  const { run } = insideShell(node, { folder, env });
  await trustRegistry(folder, run);
  const registry = node.start("docker-registry", ["docker-registry", "serve", writeRegistry(folder)]);
  const dockerd = node.start("dockerd", ["dockerd", ...dockerFlags(folder, node.group)]);
  writeBaseImages(folder);
  const archive = join(folder, "base.tar");
  await eventually(() => run("docker", "load", "--input", archive), dockerd.watched);
  await run("docker", "tag", baseImages[0], baseImages[1]);
  await run("podman", "load", "--input", archive);
  await run("podman", "tag", baseImages[0], baseImages[1]);
  const password = ["--username", login.user, "--password", login.password, registryHost];
  await eventually(() => run("docker", "login", ...password), registry.watched);
  return { env, login };
}

const login = {
  user: "team",
  password: "secret",
  hash: "$2b$05$abcdefghijklmnopqrstuuOQiyCxlgf/oeuTqixKmWdcYUh4Hjl0a",
};

/** All three engines read the same folder; containerd has its own. */
async function trustRegistry(
  folder: string,
  run: (...words: [string, ...string[]]) => Promise<unknown>,
): Promise<void> {
  const ca = join(folder, "certs/ca.crt");
  await run("mkdir", "--parents", `/etc/docker/certs.d/${registryHost}`);
  await run("cp", ca, `/etc/docker/certs.d/${registryHost}/ca.crt`);
  const hosts = join(folder, "certs.d", registryHost);
  mkdirSync(hosts, { recursive: true });
  const server = `https://${registryHost}`;
  writeFileSync(join(hosts, "hosts.toml"), `server = "${server}"\n[host."${server}"]\nca = "${ca}"\n`);
}

function writeRegistry(folder: string): string {
  writeFileSync(join(folder, "htpasswd"), `${login.user}:${login.hash}\n`);
  const config = {
    version: "0.1",
    log: { level: "info" },
    storage: { filesystem: { rootdirectory: join(folder, "registry") } },
    http: {
      addr: ":5000",
      tls: { certificate: join(folder, "certs/registry.crt"), key: join(folder, "certs/registry.key") },
    },
    auth: { htpasswd: { realm: "team", path: join(folder, "htpasswd") } },
  };
  const file = join(folder, "registry.yml");
  // Its YAML reader takes JSON.
  writeFileSync(file, JSON.stringify(config));
  return file;
}

export function dockerFlags(folder: string, group: string): string[] {
  return [
    `--host=unix://${join(folder, "docker.sock")}`,
    `--data-root=${join(folder, "docker")}`,
    "--exec-root=/run/docker",
    "--pidfile=/run/docker.pid",
    `--cgroup-parent=/${group}/docker`,
    // Its rules would drop the pods' traffic.
    "--iptables=false",
  ];
}

function writeStorage(folder: string): string {
  const file = join(folder, "storage.conf");
  const text = (name: string): string => JSON.stringify(join(folder, name));
  writeFileSync(
    file,
    `[storage]\ndriver = "overlay"\nrunroot = ${text("containers-run")}\ngraphroot = ${text("containers")}\n`,
  );
  return file;
}

/** Writes `base.tar`: what stands in for the images of the scaffolded Dockerfile, under the name of the first of them. */
export function writeBaseImages(folder: string): void {
  const root = mkdtempSync(join(tmpdir(), "base-"));
  try {
    writeBaseRoot(root);
    writeImageArchive(join(folder, "base.tar"), baseImages[0], root, { Env: [baseEnvironment] });
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
}
