import { lstatSync, realpathSync } from "node:fs";
import { isAbsolute, join, posix, relative, sep } from "node:path";
import { TsbuilderError } from "../shared/errors.ts";
import { isInside } from "../shared/files.ts";

/**
 * Rejects paths that lead out of a project, through `..` or a symbolic link, and files that git, npm or direnv would
 * run, which tsbuilder never writes.
 */
export function refuseOutside(root: string, paths: Iterable<string>): void {
  const links = new Links(root);
  for (const path of paths) {
    if (isRunByOthers(path)) {
      throw refuse(
        `"${path}" is a file that git, npm or direnv may run, and tsbuilder writes none of them`,
        "choose another path",
      );
    }
    if (isOutside(path)) {
      throw refuse(`"${path}" is outside of the project`, "use a folder in the project, without ..");
    }
    const link = links.findOutward(path);
    if (link !== undefined) {
      throw refuse(
        `"${path}" is outside of the project, because "${link}" is a symbolic link that leads out of it`,
        `replace "${link}" with a folder`,
      );
    }
  }
}

/**
 * Rejects a file that the user named, and that may be anywhere, if a link in the project leads to it: a clone may
 * contain the link.
 */
export function refuseLinkedFile(root: string, file: string): void {
  if (!isInside(root, file) || file === root) return;
  try {
    refuseOutside(root, [relative(root, file).split(sep).join("/")]);
  } catch (error) {
    // The write itself reports a file in the place of a folder.
    if ((error as NodeJS.ErrnoException).code !== "ENOTDIR") throw error;
  }
}

function isOutside(path: string): boolean {
  // On Windows a backslash separates folders, too, and NUL ends a path for the system.
  if (/[\\\0]/u.test(path) || isAbsolute(path)) return true;
  const [first] = posix.normalize(path).split("/");
  return first === ".." || first === ".";
}

/** Folds names as file systems do: macOS and Windows ignore case, some characters, and dots and spaces at the end. */
function isRunByOthers(path: string): boolean {
  const names = path
    .normalize("NFKC")
    .replaceAll(/\p{Cf}/gu, "")
    .toLowerCase()
    .split(/[/\\]/u);
  return names.some((name) => runByOthers.test(name));
}

const runByOthers = /^(?:\.git|git~\d+|node_modules|\.husky|\.envrc)[. ]*(?::.*)?$/u;

/** Checks links; each folder only once for all files in it. */
class Links {
  readonly #root: string;
  readonly #known = new Map<string, boolean>();

  constructor(root: string) {
    this.#root = root;
  }

  /** Finds the first component of a path that is a link out of the project. */
  findOutward(path: string): string | undefined {
    const steps = posix.normalize(path).split("/");
    const ways = steps.map((_, i) => steps.slice(0, i + 1).join("/"));
    return ways.find((way) => this.#leadsOut(way));
  }

  #leadsOut(way: string): boolean {
    const known = this.#known.get(way);
    if (known !== undefined) return known;
    const file = join(this.#root, way);
    const leadsOut =
      lstatSync(file, { throwIfNoEntry: false })?.isSymbolicLink() === true && !staysInside(this.#root, file);
    this.#known.set(way, leadsOut);
    return leadsOut;
  }
}

/**
 * Returns whether a link stays in the project. A dangling link does not, since it may lead anywhere when the file is
 * written; nor does one into `.git`.
 */
function staysInside(root: string, link: string): boolean {
  try {
    const [base, target] = [realpathSync(root), realpathSync(link)];
    return isInside(base, target) && !isRunByOthers(relative(base, target));
  } catch {
    return false;
  }
}

function refuse(message: string, hint: string): TsbuilderError {
  return new TsbuilderError(message, { code: "REFUSED", hint });
}
