import { delimiter, isAbsolute } from "node:path";

/**
 * The `PATH` for programs of the machine, such as git and kubectl: without folders of packages, which `npx` and
 * `npm run` put first, and without relative ones. A project that was only cloned can have a program in either.
 */
export function toolPath(path = process.env["PATH"] ?? ""): string {
  return path
    .split(delimiter)
    .filter((folder) => isAbsolute(folder) && !/[\\/]node_modules[\\/]\.bin[\\/]?$/u.test(folder))
    .join(delimiter);
}
