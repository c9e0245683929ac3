import { accessSync, constants, existsSync, readdirSync, statSync } from "node:fs";
import { homedir } from "node:os";
import { isAbsolute, join, parse } from "node:path";

/** Returns the folder in which kubebuilder looks for executable plugins: `NAME/VERSION/NAME`, with any extension. */
export function executableFolder(
  env: NodeJS.ProcessEnv = process.env,
  platform: NodeJS.Platform = process.platform,
): string {
  const { EXTERNAL_PLUGINS_PATH: own, XDG_CONFIG_HOME: config } = env;
  // A relative path would be below the current folder, which may be a clone.
  if (own && isAbsolute(own)) return own;
  if (config && isAbsolute(config)) return join(config, "kubebuilder", "plugins");
  const home = env["HOME"] || homedir();
  return platform === "darwin"
    ? join(home, "Library", "Application Support", "kubebuilder", "plugins")
    : join(home, ".config", "kubebuilder", "plugins");
}

/** Finds the executable of a key. */
export function findExecutable(key: string, folder = executableFolder()): string | undefined {
  const [name = "", version = ""] = key.split("/");
  const place = join(folder, name, version);
  const file = list(place).find((one) => parse(one).name === name || one === name);
  return file !== undefined && isExecutable(join(place, file)) ? join(place, file) : undefined;
}

/** Lists the keys of all installed executables. */
export function listExecutables(folder = executableFolder()): string[] {
  return list(folder)
    .flatMap((name) => list(join(folder, name)).map((version) => `${name}/${version}`))
    .filter((key) => findExecutable(key, folder) !== undefined);
}

const list = (folder: string): string[] =>
  existsSync(folder) && statSync(folder).isDirectory() ? readdirSync(folder).sort() : [];

function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return statSync(file).isFile();
  } catch {
    return false;
  }
}
