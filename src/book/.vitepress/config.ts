import { readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitepress";
import { bookAddress } from "../../shared/book-address.ts";
import { readPages, repository, sidebarOf, siteFolder, stagedFolder } from "../build/pages.ts";

/** The repository as `OWNER/NAME`, which GitHub's workflows set; elsewhere pages have no links to it. */
const gitHubRepository = process.env["GITHUB_REPOSITORY"];

const { version } = JSON.parse(readFileSync(join(repository, "package.json"), "utf8")) as {
  readonly version: string;
};

const base = process.env["BOOK_BASE"] ?? new URL(bookAddress).pathname;

export default defineConfig({
  title: "tsbuilder",
  description: "Kubernetes operators in TypeScript",
  lang: "en",
  base,
  srcDir: stagedFolder,
  // `npm run book -- --check` reports dead links, with those to anchors.
  ignoreDeadLinks: true,
  outDir: siteFolder,
  cacheDir: join(repository, "node_modules/.cache/vitepress"),
  head: [
    ["link", { rel: "icon", type: "image/svg+xml", href: `${base}logo.svg` }],
    ["meta", { property: "og:title", content: "tsbuilder: Kubernetes operators in TypeScript" }],
    [
      "meta",
      { property: "og:description", content: "Types and a reconciler from you, the rest from tsbuilder" },
    ],
    ["meta", { property: "og:image", content: new URL("pictures/page.png", bookAddress).href }],
  ],
  sitemap: { hostname: bookAddress },
  themeConfig: {
    logo: { src: "/logo.svg", alt: "" },
    search: {
      provider: "local",
      options: {
        miniSearch: {
          searchOptions: {
            // People who search want guides first, and then signatures.
            boostDocument: (address: string) => (address.includes("/reference/") ? 0.2 : 1),
          },
        },
      },
    },
    nav: [
      { text: "Quick start", link: "/quick-start" },
      { text: "Guides", link: "/guides/" },
      { text: "Reference", link: "/reference/" },
      { text: `Version ${version}`, link: "/about/stability" },
      ...(gitHubRepository ? [{ text: "Repository", link: `https://github.com/${gitHubRepository}` }] : []),
    ],
    sidebar: sidebarOf(readPages(stagedFolder)),
    outline: [2, 3],
    docFooter: { prev: "Previous", next: "Next" },
    ...(gitHubRepository && {
      editLink: {
        pattern: `https://github.com/${gitHubRepository}/edit/main/src/book/:path`,
        text: "Edit this page",
      },
    }),
  },
  markdown: {
    theme: { light: "github-light-high-contrast", dark: "github-dark-high-contrast" },
    // `<name>` in a page is text, and so is `example.com`.
    html: false,
    linkify: false,
    config: (md) => {
      const { text, fence, image } = md.renderer.rules;
      // Vue would take braces for an expression.
      md.renderer.rules.text = (...args) => text!(...args).replaceAll("{{", "&#123;&#123;");
      md.renderer.rules.fence = (tokens, index, ...rest) => {
        const [, path, append] = /\[([^\]]+)\]( append)?/.exec(tokens[index]!.info) ?? [];
        const title = `<code v-pre>${md.utils.escapeHtml(path ?? "")}</code>${append ? ", at its end" : ""}`;
        const block = fence!(tokens, index, ...rest);
        return path === undefined ? block : `<p class="file-name">${title}</p>${block}`;
      };
      // A column without a name has no heading that a screen reader could read.
      md.renderer.rules.th_open = (tokens, index, options, _env, self) =>
        tokens[index + 1]!.content === "" ? "<td>" : self.renderToken(tokens, index, options);
      md.renderer.rules.th_close = (tokens, index, options, _env, self) =>
        tokens[index - 1]!.content === "" ? "</td>" : self.renderToken(tokens, index, options);
      md.renderer.rules.image = (tokens, index, ...rest) => {
        const source = tokens[index]!.attrGet("src") ?? "";
        // As a part of the page, a drawing has the colours of its text.
        return /^\/.*\.svg$/u.test(source) ? inlineDrawing(source) : image!(tokens, index, ...rest);
      };
    },
  },
});

/** Returns a drawing as SVG within the page. */
function inlineDrawing(source: string): string {
  // The site's style sheet has the dark colours of terminals; in the browser Vue leaves such a style out.
  const svg = readFileSync(join(stagedFolder, "public", source), "utf8").replace(
    /<style>@media.*?<\/style>/s,
    "",
  );
  // On a small screen the drawing scrolls, and the keyboard must reach it.
  return `<span class="diagram" role="group" aria-label="Diagram" tabindex="0" v-pre>${svg.slice(svg.indexOf("<svg")).replaceAll(/\n\s*/g, " ")}</span>`;
}
