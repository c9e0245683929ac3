import { cpSync, mkdirSync, readFileSync, readdirSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative, sep } from "node:path";
import { readYaml } from "../../shared/read-yaml.ts";

export const bookFolder = join(import.meta.dirname, "..");
export const repository = join(bookFolder, "../..");

/** The folder in which written pages and pages made from the code are put together. */
export const stagedFolder = join(repository, "dist/book-pages");
export const siteFolder = join(repository, "dist/book");

/** A page of the book, with its front matter. */
export interface Page {
  /** The path below the book's folder: `guides/metrics.md`. */
  readonly path: string;
  /** The page's folder; empty for pages at the top. */
  readonly section: string;
  readonly title: string;
  /** The page's place in its section. The place of an `index.md` is the section's place in the book. */
  readonly order: number;
  /** The folder in which its commands run: `empty`, or a copy of the golden project of that name. */
  readonly follow?: string;
  /** The folder whose files its blocks show: `e2e/golden/app-operator`. */
  readonly shows?: string;
  readonly text: string;
}

/** Reads all pages in a folder, in the order of the book. */
export function readPages(folder: string): Page[] {
  return sortPages(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !path.startsWith("."))
      .map((path) => readPage(path, readFileSync(join(folder, path), "utf8"))),
  );
}

/** Matches the front matter, and the heading that must follow it. */
const beginning = /^---\n(.*?)\n---\n\n# ([^\n]+)\n/s;

/** Reads a page. Throws if its front matter lacks the title and place that the table of contents needs. */
export function readPage(path: string, text: string): Page {
  const [all, front = "", heading = ""] = beginning.exec(text) ?? [];
  if (all === undefined)
    throw new Error(`${path}:1: a page begins with front matter, an empty line and "# Title"`);
  const { title, order, follow, shows } = (readYaml(path, front)[0] ?? {}) as Readonly<
    Record<string, unknown>
  >;
  if (typeof title !== "string" || typeof order !== "number")
    throw new Error(
      `${path}:1: write the page's place into its front matter: "title: Metrics" and "order: 3"`,
    );
  if (withoutBackticks(heading) !== title)
    throw new Error(`${path}: the heading is "${heading}", but the title "${title}": make them equal`);
  if (follow !== undefined && typeof follow !== "string")
    throw new Error(`${path}: write "follow: empty" or the name of a project in e2e/golden`);
  if (shows !== undefined && typeof shows !== "string")
    throw new Error(`${path}: write "shows:" and a folder, such as e2e/golden/app-operator`);
  const section = path.includes("/") ? path.slice(0, path.indexOf("/")) : "";
  return {
    path,
    section,
    title,
    order,
    text,
    ...(follow !== undefined && { follow }),
    ...(shows !== undefined && { shows }),
  };
}

/** Returns the text of a page without its front matter. */
export function bodyOf({ text }: Page): string {
  return text.slice(text.indexOf("\n# ") + 1);
}

/** Sorts pages by their sections' places, then by their own. A page without a section is placed among the sections. */
function sortPages(pages: readonly Page[]): Page[] {
  const indexes = new Map(pages.filter(isIndex).map((page) => [page.section, page]));
  const sectionOrder = (page: Page): number => {
    const index = page.section === "" ? page : indexes.get(page.section);
    if (index) return index.order;
    throw new Error(`${page.path}: its folder has no index.md, which names the section`);
  };
  const pageOrder = (page: Page): number => (isIndex(page) ? Number.NEGATIVE_INFINITY : page.order);
  return pages.toSorted(
    (a, b) =>
      sectionOrder(a) - sectionOrder(b) ||
      a.section.localeCompare(b.section) ||
      pageOrder(a) - pageOrder(b) ||
      a.path.localeCompare(b.path),
  );
}

/** Returns whether a page is the first of its section, and names it. */
export function isIndex({ path, section }: Page): boolean {
  return path === `${section}/index.md`;
}

const withoutBackticks = (heading: string): string => heading.replaceAll("`", "");

/** An entry of the table of contents, as VitePress reads it. */
interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly items?: SidebarItem[];
  readonly collapsed?: boolean;
}

/** Returns the table of contents: the pages in their order, those of a section below its first page. */
export function sidebarOf(pages: readonly Page[]): SidebarItem[] {
  return pages
    .filter((page) => page.section === "" || isIndex(page))
    .map((page) => {
      const items = pages
        .filter((other) => page.section !== "" && other.section === page.section && other !== page)
        // The chapters of a package are reached from its page.
        .filter(({ path }) => path.split("/").length <= 3)
        .map(itemOf);
      return items.length === 0 ? itemOf(page) : { ...itemOf(page), items, collapsed: true };
    });
}

function itemOf({ title, path }: Page): SidebarItem {
  return { text: title, link: `/${path.replace(/(?:index)?\.md$/, "")}` };
}

/**
 * Writes the book's table of contents for language models: each page with its address and its first paragraph. Pages without
 * a section come first, since further down they would seem to belong to the section before them.
 */
export function llmsText(pages: readonly Page[], address: string): string {
  const topPagesFirst = pages.toSorted((a, b) => Number(a.section !== "") - Number(b.section !== ""));
  const entries = topPagesFirst.map((page) => {
    const entry = `- [${page.title}](${address}${page.path.replace(/\.md$/, ".html")}): ${firstParagraph(page)}`;
    return isIndex(page) ? `\n## ${page.title}\n\n${entry}` : entry;
  });
  return `# tsbuilder\n\n> Kubernetes operators in TypeScript\n\n${entries.join("\n")}\n`;
}

/** Joins all pages into one text, without their front matter. */
export function llmsFullText(pages: readonly Page[]): string {
  return pages.map(bodyOf).join("\n");
}

function firstParagraph(page: Page): string {
  const [, paragraph = ""] = bodyOf(page).split("\n\n");
  return paragraph
    .replaceAll("\n", " ")
    .replaceAll(/\[([^\]]*)\]\([^)]*\)/g, "$1")
    .trim();
}

/** Copies the written pages into `stagedFolder`, and writes the pages that are made from the code beside them. */
export function stagePages(generated: ReadonlyMap<string, string>): void {
  rmSync(stagedFolder, { recursive: true, force: true });
  cpSync(bookFolder, stagedFolder, {
    recursive: true,
    filter: (path) => ![".vitepress", "build"].includes(relative(bookFolder, path).split(sep)[0]!),
  });
  for (const [path, text] of generated) {
    const file = join(stagedFolder, path);
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, text.replace("---\n", "---\neditLink: false\n"));
  }
}
