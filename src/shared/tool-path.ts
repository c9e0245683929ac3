import { delimiter, isAbsolute } from "node:path";

/**
 * Returns the `PATH` for programs of the machine, such as git and kubectl: without folders of packages, which `npx` and
 * `npm run` put first, and without relative ones, since a clone can contain a program in either. Never empty, because
 * an empty `PATH` means the current folder.
 */
export function toolPath(path = process.env["PATH"] ?? ""): string {
  const folders = path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/u.test(folder));
  return folders.join(delimiter) || systemPath();
}

const systemPath = (): string =>
  process.platform === "win32"
    ? `${process.env["SystemRoot"] ?? String.raw`C:\Windows`}\\System32`
    : "/usr/bin:/bin";
