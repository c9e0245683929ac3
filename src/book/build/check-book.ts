import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { bookAddress } from "../../shared/book-address.ts";
import { type Site, anchorsIn, explainSite, fileOf } from "./explain-site.ts";
import { type Page, bodyOf, readPages, repository, siteFolder, stagedFolder } from "./pages.ts";
import { readInBrowser } from "./read-in-browser.ts";

/** Checks the built book, and prints how many commands of its pages run. Returns the problems. */
export async function checkBook(base: string): Promise<string[]> {
  const pages = readPages(stagedFolder);
  const problems = explainPages(pages);
  if (problems.length > 0) return problems;
  for (const line of countCommands(pages)) console.log(line);
  const site = readSite(base);
  return [...explainSite(site), ...explainSources(site), ...(await readInBrowser(site))];
}

/** Returns a sentence for each page that begins without a paragraph, and for each block that is malformed, or whose commands no test runs. */
export function explainPages(pages: readonly Page[]): string[] {
  return pages.flatMap((page) => {
    const beginning = /^# .*\n\n(?!#|```|\||>|- |\d+\. )\S/.test(bodyOf(page))
      ? []
      : [`${page.path}: begin the page with a paragraph, which llms.txt shows`];
    try {
      return [
        ...beginning,
        ...readBlocks(page.path, page.text).flatMap((block) => explainBlock(block, page)),
      ];
    } catch (error) {
      return [...beginning, (error as Error).message];
    }
  });
}

function explainBlock({ at, language, path }: Block, { follow }: Page): string[] {
  if (path !== undefined || !/^(?:sh|bash|shell|zsh)$/.test(language)) return [];
  if (language !== "sh") return [`${at}: no test runs "${language}": write "sh", or "console" if none can`];
  return follow === undefined
    ? [`${at}: no test runs this command: write "follow: empty", or "console" if none can`]
    : [];
}

/** Counts the commands of each page: those that a test runs, and those that are only read. */
export function countCommands(pages: readonly Page[]): string[] {
  return pages.map(({ path: page, text }) => {
    const count = (wanted: string, line: RegExp): number =>
      readBlocks(page, text)
        .filter(({ language, path }) => language === wanted && path === undefined)
        .reduce((sum, { content }) => sum + (content.match(line)?.length ?? 0), 0);
    return `${page}: ${count("sh", /^.+$/gm)} commands run, ${count("console", /^\$ /gm)} only read`;
  });
}

export interface Block {
  /** The page and the line: `guides/metrics.md:12`. */
  readonly at: string;
  readonly language: string;
  /** The file of the reader's project that the block is the content of, or is appended to. */
  readonly path?: string;
  readonly append: boolean;
  readonly content: string;
  /** The block directly follows the previous one. */
  readonly adjacent: boolean;
}

const fence = /^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2 *$/gms;

const info = /^(\w+)(?: \[([^\]]+)\]( append)?)?$/;

/** Reads the blocks of a page. Throws if one has no language, or is malformed: no test would compile, run or compare it. */
export function readBlocks(page: string, text: string): Block[] {
  const unread = /^[ \t>]*(?:`{3}|~{3})/m.exec(
    text.replaceAll(fence, (block) => block.replaceAll(/./g, " ")),
  );
  if (unread)
    throw new Error(
      `${page}:${lineOf(text, unread.index)}: a block has no end, or is quoted or indented: begin and end it with \`\`\` at the start of a line`,
    );
  let end = 0;
  return [...text.matchAll(fence)].map(({ 0: block, 1: indent, 3: words = "", 4: content = "", index }) => {
    const at = `${page}:${lineOf(text, index)}`;
    if (words === "")
      throw new Error(`${at}: a block has no language: write "text", or "console" for a dialogue`);
    if (indent !== "") throw new Error(`${at}: a block is indented: begin it at the start of its line`);
    const [all, language = "", path, append] = info.exec(words) ?? [];
    if (all === undefined)
      throw new Error(`${at}: a block begins with "${words}": write "ts" or "ts [src/main.ts]"`);
    const adjacent = end > 0 && text.slice(end, index).trim() === "";
    end = index + block.length;
    return {
      at,
      language,
      append: append !== undefined,
      content,
      adjacent,
      ...(path !== undefined && { path }),
    };
  });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

function readSite(base: string): Site {
  const files = readdirSync(siteFolder, { recursive: true, encoding: "utf8" });
  const pages = files.filter((path) => path.endsWith(".html"));
  return {
    base,
    address: bookAddress,
    files: new Set(files),
    pages: new Map(pages.map((path) => [path, readFileSync(join(siteFolder, path), "utf8")])),
  };
}

function explainSources(site: Site): string[] {
  const files = listRepositoryFiles(repository)
    .filter((path) => path.endsWith(".md") || /^(?:\.github|src|templates)\/.*\.(?:ts|hbs)$/u.test(path))
    .filter((path) => !path.startsWith("src/book/"))
    .map((path) => ({ path, text: readFileSync(join(repository, path), "utf8") }));
  return explainLinks(files, {
    read: (path) =>
      existsSync(join(repository, path)) ? readFileSync(join(repository, path), "utf8") : undefined,
    exists: (path) => existsSync(join(repository, path)),
    anchorsOfPage: (address) => {
      const file = fileOf(address);
      return site.files.has(file) ? anchorsIn(site.pages.get(file) ?? "") : undefined;
    },
    bookAddress,
  });
}

/**
 * Lists the files of a repository's working tree, sorted, without those that its `.gitignore` names: the files that git knows
 * or would add. A source tree without git, such as an unpacked archive, is taken for one of which git knows no file yet.
 */
export function listRepositoryFiles(root: string): readonly string[] {
  if (existsSync(join(root, ".git"))) return listByGit(root);
  const empty = mkdtempSync(join(tmpdir(), "tsbuilder-no-git-"));
  try {
    execFileSync("git", ["init", "--quiet", empty]);
    return listByGit(root, `--git-dir=${join(empty, ".git")}`, `--work-tree=${root}`);
  } finally {
    rmSync(empty, { recursive: true });
  }
}

function listByGit(root: string, ...place: string[]): readonly string[] {
  const args = [...place, "ls-files", "-z", "--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", args, { cwd: root, encoding: "utf8", maxBuffer: 2 ** 26 });
  // A file that was deleted, but not yet in the index, is listed, too.
  const present = listed.split("\0").filter((file) => file !== "" && existsSync(join(root, file)));
  return [...new Set(present)].sort();
}

interface LinkingFile {
  readonly path: string;
  readonly text: string;
}

interface LinkTargets {
  /** Returns the text of a file of the repository; undefined if there is none. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  /** Returns the anchors of a page of the built book, by its address below the book's; undefined if there is no such page. */
  anchorsOfPage(address: string): ReadonlySet<string> | undefined;
  readonly bookAddress: string;
}

/** Returns a sentence for each broken link in READMEs, messages and templates. */
export function explainLinks(files: readonly LinkingFile[], targets: LinkTargets): string[] {
  return files.flatMap(({ path, text }) => {
    const prose = path.endsWith(".md")
      ? text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/./g, " "))
      : "";
    const kinds: readonly (readonly [within: string, pattern: RegExp, leads: (link: string) => boolean])[] = [
      [text, bookLink(targets.bookAddress), (link) => leadsToPage(link, targets)],
      [text, installedLink, (link) => leadsToReadme(link, targets)],
      [prose, markdownLink, (link) => leadsToFile(path, link, targets)],
    ];
    return kinds.flatMap(([within, pattern, leads]) =>
      [...within.matchAll(pattern)]
        .filter(([, link = ""]) => !leads(link))
        .map(({ 1: link, index }) => `${path}:${lineOf(text, index)} links to ${link}: it leads nowhere`),
    );
  });
}

/** Returns the place of a package's README on a user's disk. */
const installedLink = /node_modules\/(@tsbuilder\/\w+\/README\.md#[\w-]+)/g;

const markdownLink = /\]\((?!\w+:)([^()\s]+)\)/g;

const bookLink = (address: string): RegExp =>
  new RegExp(String.raw`(${address.replaceAll(".", String.raw`\.`)}(?:[\w/.#-]*[\w/])?)`, "g");

function leadsToPage(link: string, targets: LinkTargets): boolean {
  const [page = "", anchor] = link.slice(targets.bookAddress.length).split("#");
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

/** Returns the anchor of a heading, as GitHub makes it. */
function anchorOf(heading: string): string {
  return heading
    .toLowerCase()
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, "")
    .trim()
    .replaceAll(" ", "-");
}

export function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  return new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
}
