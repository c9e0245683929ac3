import { posix } from "node:path";

/** The built book: the paths of its files, and the text of HTML files by their paths. */
export interface Site {
  readonly files: ReadonlySet<string>;
  readonly pages: ReadonlyMap<string, string>;
  /** The path of the book on its host: `/book/`. */
  readonly base: string;
  /** The published address. Pages may use it to link to each other. */
  readonly address: string;
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

export function anchorsIn(html: string): Set<string> {
  return new Set([...html.matchAll(/\sid="([^"]*)"/g)].map(([, id = ""]) => id));
}

/** Returns the file of an address below the book's. */
export function fileOf(address: string): string {
  if (address === "" || address.endsWith("/")) return `${address}index.html`;
  return posix.extname(address) === "" ? `${address}.html` : address;
}

function leadsSomewhere(link: string, page: string, site: Site): boolean {
  const { base, files, pages } = site;
  const own = link.startsWith(site.address) ? base + link.slice(site.address.length) : link;
  if (/^(?:\w+:|\/\/)/.test(own)) return true;
  const [address = "", anchor] = own.split("#");
  if (address.startsWith("/") && !address.startsWith(base)) return false;
  const below = address.startsWith(base)
    ? address.slice(base.length)
    : posix.join(posix.dirname(page), address);
  const file = address === "" ? page : fileOf(below);
  if (anchor === undefined || anchor === "") return files.has(file);
  const anchors = anchorsIn(pages.get(file) ?? "");
  return anchors.has(anchor) || anchors.has(decoded(anchor));
}

function decoded(anchor: string): string {
  try {
    return decodeURIComponent(anchor);
  } catch {
    return anchor;
  }
}
