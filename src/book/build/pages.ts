import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { readYaml } from "../../shared/read-yaml.ts";

/** A page of the book. */
export interface Page {
  /** Below the book's folder: `guides/metrics.md`. */
  readonly path: string;
  /** The page's folder; empty for pages that stand in none. */
  readonly section: string;
  readonly title: string;
  /** Its place in the section; that of an `index.md` is the section's place in the book. */
  readonly order: number;
  /** Where its commands run: in an `empty` folder, or in a copy of the golden project of that name. */
  readonly follow?: string;
  /** The folder whose files its blocks quote: `e2e/golden/app-operator`. */
  readonly shows?: string;
  readonly text: string;
}

/** The front matter, and the heading that must follow it. */
const beginning = /^---\n(.*?)\n---\n\n# ([^\n]+)\n/s;

/** All pages below a folder, in the order in which they are read. */
export function readPages(folder: string): Page[] {
  return inOrder(
    readdirSync(folder, { recursive: true, encoding: "utf8" })
      .filter((path) => path.endsWith(".md") && !path.startsWith("."))
      .map((path) => readPage(path, readFileSync(join(folder, path), "utf8"))),
  );
}

/** Reads the beginning of a page; throws if it lacks what the table of contents is made of. */
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
  if (plain(heading) !== title)
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

/** The text of a page without its front matter. */
export function bodyOf({ text }: Page): string {
  return text.slice(text.indexOf("\n# ") + 1);
}

/** Sorted by the places of their sections, then by their own. A page without a section stands among the sections. */
function inOrder(pages: readonly Page[]): Page[] {
  const indexes = new Map(pages.filter(isIndex).map((page) => [page.section, page]));
  const placeOf = (page: Page): number => {
    const index = page.section === "" ? page : indexes.get(page.section);
    if (index) return index.order;
    throw new Error(`${page.path}: its folder has no index.md, which names the section`);
  };
  const withinOf = (page: Page): number => (isIndex(page) ? Number.NEGATIVE_INFINITY : page.order);
  return pages.toSorted(
    (a, b) =>
      placeOf(a) - placeOf(b) ||
      a.section.localeCompare(b.section) ||
      withinOf(a) - withinOf(b) ||
      a.path.localeCompare(b.path),
  );
}

/** Whether a page names its section. */
export function isIndex({ path, section }: Page): boolean {
  return path === `${section}/index.md`;
}

const plain = (heading: string): string => heading.replaceAll("`", "");
