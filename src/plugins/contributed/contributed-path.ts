import { posix } from "node:path";
import { shorten } from "../../shared/text.ts";
import { pluginError } from "./plugin-error.ts";

/** Returns a path; throws a TsbuilderError if a plugin may not write it. */
export function checkContributedPath(key: string, path: string): string {
  const reason = explainBadPath(path);
  if (reason === undefined) return path;
  throw pluginError(key, `the path ${JSON.stringify(shorten(path))} ${reason}`, { code: "REFUSED" });
}

/** Folders and files of tsbuilder, npm and git, in lower case: not all file systems tell cases apart. */
const reserved = new Set(
  ".git .npmrc .tsbuilder dist node_modules package-lock.json package.json project vendor".split(" "),
);

/** Returns the reason why a plugin may not write a path; undefined if it may. */
export function explainBadPath(path: string): string | undefined {
  if (path === "" || path.length > 400) return "is empty or too long";
  if (/[\p{Cc}\p{Cf}]|[\\:*?"<>|]|~\d/u.test(path))
    return "has characters that not all systems allow in file names";
  if (
    path.startsWith("/") ||
    posix.normalize(path) !== path ||
    /^\.\.?(?:\/|$)/u.test(path) ||
    path.endsWith("/")
  )
    return "is not a plain path inside of the project";
  const steps = foldPath(path).split("/");
  if (steps.some((step) => /[. ]$/u.test(step))) return "has a name that ends with a dot or a space";
  if (steps.some((step) => /^(?:con|prn|aux|nul|com\d|lpt\d)(?:\.|$)/u.test(step)))
    return "has a name that Windows reserves";
  if (steps.some((step) => step === ".git" || step === "node_modules")) return "is in a folder of git or npm";
  return reserved.has(steps[0]!) ? "belongs to tsbuilder, npm or git" : undefined;
}

/** Folds a path, so that two paths are equal if they name one file on some file system. */
export function foldPath(path: string): string {
  return path.normalize("NFKC").toLowerCase();
}
