// The checks of the built book: the blocks of its pages, the links of the site, the links to it from elsewhere in the
// repository, and every page in Chromium.

import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join, posix } from "node:path";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import axe from "axe-core";
import { type Browser, type BrowserContext, type Page as BrowserPage, chromium } from "playwright-core";
import { bookAddress } from "../../src/shared/book-address.ts";
import {
  type Page,
  bodyOf,
  readPages,
  repository,
  siteFolder,
  stagedFolder,
} from "../../src/book/build/pages.ts";

/** Checks the built book, and prints how many commands of its pages run. Returns the problems. */
export async function checkBook(base: string): Promise<string[]> {
  const pages = readPages(stagedFolder);
  const problems = explainPages(pages);
  if (problems.length > 0) return problems;
  for (const line of countCommands(pages)) console.log(line);
  const site = readSite(base);
  return [...explainSite(site), ...explainSources(site), ...(await readInBrowser(site))];
}

/** Returns a sentence for each page that begins without a paragraph, and each block that is malformed or has untested commands. */
export function explainPages(pages: readonly Page[]): string[] {
  return pages.flatMap((page) => {
    const beginning = /^# .*\n\n(?!#|```|\||>|- |\d+\. )\S/.test(bodyOf(page))
      ? []
      : [`${page.path}: begin the page with a paragraph, which llms.txt shows`];
    try {
      const blocks = readBlocks(page.path, page.text);
      return [...beginning, ...blocks.flatMap((block) => explainBlock(block, page))];
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

/** A fenced block of a page. */
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

/** Matches a fenced block: indentation, fence, info string, content. */
const fence = /^( *)(`{3,})([^`\n]*)\n(.*?)^\1\2 *$/gms;

/** Matches an info string: `ts`, `ts [src/main.ts]` or `ts [src/main.ts] append`. */
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
    const file = path !== undefined && { path };
    return { at, language, append: append !== undefined, content, adjacent, ...file };
  });
}

function lineOf(text: string, index: number): number {
  return text.slice(0, index).split("\n").length;
}

/** The built book: the paths of its files, and the text of HTML files by their paths. */
interface Site {
  readonly files: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, string>;
  /** The path of the book on its host: `/book/`. */
  readonly base: string;
  /** The published address. Pages may use it to link to each other. */
  readonly address: string;
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

/** Returns a sentence for each broken link, picture or anchor of a built page. */
export function explainSite(site: Site): string[] {
  return [...site.pages].flatMap(([page, html]) =>
    [...html.matchAll(/\s(?:href|src)="([^"]*)"/g)]
      .map(([, link = ""]) => link.replaceAll("&amp;", "&"))
      .filter((link) => !leadsSomewhere(link, page, site))
      .map((link) => `${page}: ${link} leads nowhere`),
  );
}

function anchorsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id));
}

/** Returns the file of an address below the book's. */
export function fileOf(address: string): string {
  if (address === "" || address.endsWith("/")) return `${address}index.html`;
  return posix.extname(address) === "" ? `${address}.html` : address;
}

/** Returns whether a link of a page leads to a file and anchor of the site. Links to other hosts are not checked. */
function leadsSomewhere(link: string, page: string, site: Site): boolean {
  const { base, files, pages } = site;
  const local = link.startsWith(site.address) ? base + link.slice(site.address.length) : link;
  if (/^(?:\w+:|\/\/)/.test(local)) return true;
  const [address = "", anchor] = local.split("#");
  if (address.startsWith("/") && !address.startsWith(base)) return false;
  const path = address.startsWith(base)
    ? address.slice(base.length)
    : posix.join(posix.dirname(page), address);
  const file = address === "" ? page : fileOf(path);
  if (anchor === undefined || anchor === "") return files.has(file);
  const anchors = anchorsIn(pages.get(file) ?? "");
  return anchors.has(anchor) || anchors.has(decodeAnchor(anchor));
}

function decodeAnchor(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}

/** Checks the links of READMEs, messages and templates outside of the book, those to the built book included. */
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
    const place = [`--git-dir=${empty}`, `--work-tree=${root}`];
    execFileSync("git", [...place, "init", "--quiet"]);
    return listByGit(root, ...place);
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

/** A file outside of the book, whose links are checked. */
interface LinkingFile {
  readonly path: string;
  readonly text: string;
}

/** The repository and the built book, as links lead to them. */
interface LinkTargets {
  /** Returns the text of a file of the repository; undefined if there is none. */
  read(path: string): string | undefined;
  exists(path: string): boolean;
  /** Returns the anchors of a page of the built book, by its address below the book's; undefined if there is no such page. */
  anchorsOfPage(address: string): ReadonlySet<string> | undefined;
  readonly bookAddress: string;
}

/** Matches the path of a package's README on a user's disk, with an anchor. */
const installedLink = /node_modules\/(@tsbuilder\/\w+\/README\.md#[\w-]+)/g;
const markdownLink = /\]\((?!\w+:)([^()\s]+)\)/g;

/** Returns a sentence for each broken link in READMEs, messages and templates. */
export function explainLinks(files: readonly LinkingFile[], targets: LinkTargets): string[] {
  return files.flatMap(({ path, text }) => {
    const prose = path.endsWith(".md")
      ? text.replaceAll(/^```.*?^```$/gms, (block) => block.replaceAll(/./g, " "))
      : "";
    const checks: readonly (readonly [within: string, pattern: RegExp, leads: (link: string) => boolean])[] =
      [
        [text, bookLink(targets.bookAddress), (link) => leadsToPage(link, targets)],
        [text, installedLink, (link) => leadsToFile("", `src/${link.slice("@tsbuilder/".length)}`, targets)],
        [prose, markdownLink, (link) => leadsToFile(path, link, targets)],
      ];
    return checks.flatMap(([within, pattern, leads]) =>
      [...within.matchAll(pattern)]
        .filter(([, link = ""]) => !leads(link))
        .map(({ 1: link, index }) => `${path}:${lineOf(text, index)} links to ${link}: it leads nowhere`),
    );
  });
}

const bookLink = (address: string): RegExp =>
  new RegExp(String.raw`(${address.replaceAll(".", String.raw`\.`)}(?:[\w/.#-]*[\w/])?)`, "g");

function leadsToPage(link: string, targets: LinkTargets): boolean {
  const [page = "", anchor] = link.slice(targets.bookAddress.length).split("#");
  const anchors = targets.anchorsOfPage(page);
  return anchors !== undefined && (anchor === undefined || anchors.has(anchor));
}

function leadsToFile(from: string, link: string, targets: LinkTargets): boolean {
  const [file = "", anchor] = link.split("#");
  const path = file === "" ? from : posix.normalize(posix.join(posix.dirname(from), file));
  if (anchor === undefined || !path.endsWith(".md")) return targets.exists(path);
  return anchorsOf(targets.read(path) ?? "").has(anchor);
}

/** Returns the anchors of a Markdown file's headings. */
export function anchorsOf(text: string): Set<string> {
  const prose = text.replaceAll(/^```.*?^```$/gms, "");
  return new Set([...prose.matchAll(/^#+ (.+)$/gm)].map(([, heading = ""]) => anchorOf(heading)));
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

/** Reads every page in Chromium, on a large and a small screen, light and dark. Returns the problems. */
async function readInBrowser(site: Site): Promise<string[]> {
  const chromiumFound = findChromium();
  if ("missing" in chromiumFound) {
    if (chromiumFound.isChosen) return [chromiumFound.missing];
    console.log(`left out: the pages in a browser: ${chromiumFound.missing}`);
    return [];
  }
  const { program } = chromiumFound;
  const server = await serveSite(site);
  try {
    const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
    try {
      return await readPagesIn(browser, site, server.origin);
    } finally {
      await browser.close();
    }
  } catch (error) {
    return [`${program} can't read the pages: ${(error as Error).message.split("\n")[0]}`];
  } finally {
    await server.stop();
  }
}

const types: Readonly<Record<string, string>> = {
  ".css": "text/css",
  ".html": "text/html",
  ".js": "text/javascript",
  ".svg": "image/svg+xml",
};

/** Serves the built book on loopback, as its host does. */
async function serveSite({ base }: Site): Promise<{ origin: string; stop(): Promise<void> }> {
  const server = createServer(({ url = "" }, response) => {
    const { pathname } = new URL(url, "http://localhost");
    const file = join(siteFolder, fileOf(pathname.slice(base.length)));
    if (!pathname.startsWith(base) || !existsSync(file)) return void response.writeHead(404).end();
    response.writeHead(200, { "content-type": types[extname(file)] ?? "text/plain" }).end(readFileSync(file));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  return {
    origin: `http://127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, "close");
    },
  };
}

/** The path of a Chromium, or the reason why there is none. */
type FoundChromium = { readonly program: string } | { readonly missing: string; readonly isChosen: boolean };

/** Finds the Chromium that `CHROMIUM` names, or else the one that Debian installs. */
export function findChromium(chosen = process.env["CHROMIUM"]): FoundChromium {
  const program = chosen ?? "/usr/bin/chromium";
  if (existsSync(program)) return { program };
  const missing =
    chosen === undefined
      ? `there is no ${program}: apt-get install chromium, or set CHROMIUM to its path`
      : `CHROMIUM is ${chosen}, which does not exist: set it to the path of a Chromium`;
  return { missing, isChosen: chosen !== undefined };
}

/** Milliseconds after which a page is given up. Even on a busy machine, only a page that never comes takes as long. */
const pageTimeout = 300_000;

async function readPagesIn(browser: Browser, site: Site, origin: string): Promise<string[]> {
  const addresses = [...site.pages.keys()]
    .filter((path) => path !== "404.html")
    .map((path) => `${origin}${site.base}${path.replace(/index\.html$/, "")}`);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(pageTimeout);
  // Two tabs read at the same time.
  const shares = [0, 1].map((tab) => addresses.filter((_, index) => index % 2 === tab));
  const problems = await Promise.all(shares.map((share) => readAddresses(context, share, origin)));
  console.log(`${addresses.length} pages read in Chromium ${browser.version()}, in 4 ways each`);
  const unreached = await pressKeys(context, `${origin}${site.base}`).catch((error: Error) => [
    `the keyboard can't be tried: ${error.message.split("\n")[0]}`,
  ]);
  return [...problems.flat(), ...unreached];
}

/** The factor by which Chromium is slowed down while keys are pressed: no key may be lost on a slow machine. */
const throttlingRate = 10;

/** The parts of a page that the keyboard must reach, each with its keys. */
const keyboardTargets: Readonly<Record<string, (page: BrowserPage) => Promise<void>>> = {
  "the link to the content": async (page) => tabTo(page, ".VPSkipLink", 1),
  "a result of the search": async (page) => {
    await page.keyboard.press("Control+k");
    await page.waitForSelector("#localsearch-input:focus");
    await page.keyboard.type("quick start");
    // Results for the first letters appear while the others are typed.
    await page.waitForSelector("#localsearch-list [role=option]:first-child a[href*='/quick-start.html']");
    await page.keyboard.press("Enter");
    await page.waitForURL(/quick-start/);
  },
  "a page of the table of contents": async (page) => {
    await tabTo(page, ".VPSidebar a[href$='/quick-start.html']", 40);
    await page.keyboard.press("Enter");
    await page.waitForURL(/quick-start/);
  },
};

/** Opens the search and a page of the table of contents by the keyboard alone. Returns a sentence for each that it can't reach. */
async function pressKeys(context: BrowserContext, home: string): Promise<string[]> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: throttlingRate });
  await page.setViewportSize({ width: 1280, height: 900 });
  const problems: string[] = [];
  for (const [target, reach] of Object.entries(keyboardTargets)) {
    try {
      await openPage(page, home);
      await reach(page);
    } catch (error) {
      const [reason] = (error as Error).message.split("\n");
      problems.push(`the keyboard does not reach ${target}: ${reason}`);
    }
  }
  await page.close();
  return problems;
}

/** Presses Tab until the selector matches the focused element. */
async function tabTo(page: BrowserPage, selector: string, presses: number): Promise<void> {
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`${presses} times Tab`);
}

/** The widths of a laptop and a phone. */
const widths = [1280, 390];

async function readAddresses(context: BrowserContext, addresses: readonly string[], origin: string) {
  const problems: string[] = [];
  const page = await context.newPage();
  let address = "";
  page.on("console", (message) => {
    if (message.type() === "error") problems.push(`${address}: ${message.text()}`);
  });
  page.on("pageerror", (error) => problems.push(`${address}: ${error.message}`));
  page.on("request", (request) => {
    const url = request.url();
    if (!url.startsWith(origin) && !url.startsWith("data:")) problems.push(`${address} requests ${url}`);
  });
  for (address of addresses) {
    try {
      await page.setViewportSize({ width: widths[0]!, height: 900 });
      await openPage(page, address);
      await page.evaluate(axe.source);
      for (const width of widths) problems.push(...(await inspectPage(page, width, address)));
    } catch (error) {
      problems.push(`${address} can't be read: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  return problems;
}

/** Opens a page and waits until Vue has mounted it: before that, no key is handled, and some texts are missing. */
async function openPage(page: BrowserPage, address: string): Promise<void> {
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
}

interface Violation {
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}

/** Returns the problems of the open page at a width, light and dark: what is too wide, and what axe finds. */
async function inspectPage(page: BrowserPage, width: number, address: string): Promise<string[]> {
  const problems: string[] = [];
  await page.setViewportSize({ width, height: 900 });
  for (const scheme of ["light", "dark"]) {
    await page.evaluate(`document.documentElement.classList.toggle("dark", ${scheme === "dark"})`);
    const where = `${address} (${width} px, ${scheme})`;
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (Number(overflow) > 0) problems.push(`${where} is ${Number(overflow)} px too wide`);
    for (const violation of await page.evaluate<Violation[]>(axeScript(scheme)))
      problems.push(
        `${where}: ${violation.help}: ${violation.nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
      );
  }
  return problems;
}

/** Returns the script that runs axe on the page. On dark pages it checks only colours, since nothing else differs. */
function axeScript(scheme: string): string {
  const runOnly = scheme === "dark" ? ["color-contrast"] : undefined;
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  return `axe.run(${options}).then(({ violations }) => violations)`;
}
