import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { bookAddress } from "../../shared/book-address.ts";
import { explainLinks } from "./explain-links.ts";
import { countCommands, explainPages } from "./explain-pages.ts";
import { anchorsIn, explainSite, fileOf, type Site } from "./explain-site.ts";
import { readPages } from "./pages.ts";
import { readInBrowser } from "./read-in-browser.ts";
import { listRepositoryFiles } from "./repository-files.ts";
import { repository, siteFolder, stagedFolder } from "./stage-pages.ts";

/** Checks the built book, and prints which commands of its pages run; returns what is wrong. */
export async function checkBook(base: string): Promise<string[]> {
  const pages = readPages(stagedFolder);
  const problems = explainPages(pages);
  if (problems.length > 0) return problems;
  for (const line of countCommands(pages)) console.log(line);
  const site = readSite(base);
  return [...explainSite(site), ...explainSources(site), ...(await readInBrowser(site))];
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

/** What is wrong with links in Markdown files, messages and templates. */
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
