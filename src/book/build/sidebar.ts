import { isIndex, type Page } from "./pages.ts";

/** An entry of the table of contents, as VitePress reads it. */
export interface SidebarItem {
  readonly text: string;
  readonly link: string;
  readonly items?: SidebarItem[];
  readonly collapsed?: boolean;
}

/** The table of contents: pages in their order, those of a section below its first page. */
export function sidebarOf(pages: readonly Page[]): SidebarItem[] {
  return pages
    .filter((page) => page.section === "" || isIndex(page))
    .map((page) => {
      const items = pages
        .filter((other) => page.section !== "" && other.section === page.section && other !== page)
        .map(itemOf);
      return items.length === 0 ? itemOf(page) : { ...itemOf(page), items, collapsed: true };
    });
}

function itemOf({ title, path }: Page): SidebarItem {
  return { text: title, link: `/${path.replace(/(?:index)?\.md$/, "")}` };
}
