import type { Page } from "./pages.ts";

/** Pages that a reader follows from the first to the last, in one folder. */
export interface Route {
  /** The section, or the page that stands in none. */
  readonly name: string;
  /** `empty`, or the golden project that the reader has. */
  readonly follow: string;
  readonly pages: readonly Page[];
}

/** The routes through the book: the pages of a section that begin alike, and each page without a section. */
export function routesOf(pages: readonly Page[]): Route[] {
  const routes = new Map<string, Route>();
  for (const page of pages) {
    const { follow } = page;
    if (follow === undefined) continue;
    const name = page.section || page.path.replace(/\.md$/, "");
    const key = `${name} ${follow}`;
    routes.set(key, { name, follow, pages: [...(routes.get(key)?.pages ?? []), page] });
  }
  return [...routes.values()];
}
