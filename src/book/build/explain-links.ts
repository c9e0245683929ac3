import { posix } from "node:path";
import { anchorsOf } from "./anchors.ts";

/** A file that links to others. */
export interface LinkingFile {
  readonly path: string;
  readonly text: string;
}

/** What can be linked to. */
export interface LinkTargets {
  /** The text of a file of the repository; undefined if there is none. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  /** The anchors of a page of the built book, by its address below the book's; undefined if there is none. */
  anchorsOfPage(address: string): ReadonlySet<string> | undefined;
  readonly bookAddress: string;
}

/** A sentence for each link of READMEs, messages and templates that leads nowhere. */
export function explainLinks(files: readonly LinkingFile[], targets: LinkTargets): string[] {
  return files.flatMap(({ path, text }) => {
    const prose = path.endsWith(".md")
      ? text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/./g, " "))
      : "";
    return [
      ...find(text, bookLink(targets.bookAddress)).map(({ link, index }) => ({
        link,
        index,
        ok: leadsToPage(link.slice(targets.bookAddress.length), targets),
      })),
      ...find(text, installedLink).map(({ link, index }) => ({
        link,
        index,
        ok: leadsToReadme(link, targets),
      })),
      ...find(prose, markdownLink).map(({ link, index }) => ({
        link,
        index,
        ok: leadsToFile(path, link, targets),
      })),
    ]
      .filter(({ ok }) => !ok)
      .map(
        ({ link, index }) =>
          `${path}:${text.slice(0, index).split("\n").length} links to ${link}: it leads nowhere`,
      );
  });
}

/** Where a package's README is on a user's disk. */
const installedLink = /node_modules\/(@tsbuilder\/\w+\/README\.md#[\w-]+)/g;
const markdownLink = /\]\((?!\w+:)([^()\s]+)\)/g;
const bookLink = (address: string): RegExp =>
  new RegExp(String.raw`(${address.replaceAll(".", String.raw`\.`)}(?:[\w/.#-]*[\w/])?)`, "g");

function find(text: string, pattern: RegExp): { link: string; index: number }[] {
  return [...text.matchAll(pattern)].map(({ 1: link = "", index }) => ({ link, index }));
}

function leadsToPage(address: string, targets: LinkTargets): boolean {
  const [page = "", anchor] = address.split("#");
  const anchors = targets.anchorsOfPage(page);
  return anchors !== undefined && (anchor === undefined || anchors.has(anchor));
}

function leadsToReadme(link: string, targets: LinkTargets): boolean {
  return leadsToFile("", `src/${link.slice("@tsbuilder/".length)}`, targets);
}

function leadsToFile(from: string, link: string, targets: LinkTargets): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (anchor === undefined || !path.endsWith(".md")) return targets.exists(path);
  return anchorsOf(targets.read(path) ?? "").has(anchor);
}
