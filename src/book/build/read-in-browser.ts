import { existsSync, readFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { extname, join } from "node:path";
import axe from "axe-core";
import { type Browser, type BrowserContext, type Page, chromium } from "playwright-core";
import { type Site, fileOf } from "./explain-site.ts";
import { siteFolder } from "./pages.ts";

const widths = [1280, 390];

/** Milliseconds after which a page is given up. Even on a busy machine, only a page that never comes takes as long. */
const patience = 300_000;

/** Reads every page in Chromium, on a large and a small screen, light and dark. Returns the problems. */
export async function readInBrowser(site: Site): Promise<string[]> {
  const found = findChromium();
  if ("missing" in found) {
    if (found.isChosen) return [found.missing];
    console.log(`left out: the pages in a browser: ${found.missing}`);
    return [];
  }
  const { program } = found;
  const server = await serveSite(site);
  try {
    const browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
    try {
      return await readAll(browser, site, server.origin);
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
  return chosen === undefined
    ? {
        missing: `there is no ${program}: apt-get install chromium, or set CHROMIUM to its path`,
        isChosen: false,
      }
    : {
        missing: `CHROMIUM is ${chosen}, which does not exist: set it to the path of a Chromium`,
        isChosen: true,
      };
}

async function readAll(browser: Browser, site: Site, origin: string): Promise<string[]> {
  const addresses = [...site.pages.keys()]
    .filter((path) => path !== "404.html")
    .map((path) => `${origin}${site.base}${path.replace(/index\.html$/, "")}`);
  const context = await browser.newContext({ reducedMotion: "reduce" });
  context.setDefaultTimeout(patience);
  const readers = [addresses.filter((_, at) => at % 2 === 0), addresses.filter((_, at) => at % 2 === 1)];
  const found = await Promise.all(readers.map((own) => readPages(context, own, origin)));
  console.log(`${addresses.length} pages read in Chromium ${browser.version()}, in 4 ways each`);
  const pressed = await pressKeys(context, `${origin}${site.base}`).catch((error: Error) => [
    `the keyboard can't be tried: ${error.message.split("\n")[0]}`,
  ]);
  return [...found.flat(), ...pressed];
}

/** The factor by which Chromium is slowed down while keys are pressed: no key may be lost on a slow machine. */
const slowness = 10;

/** Opens the search and a page of the table of contents by the keyboard alone. Returns the things that it could not reach. */
async function pressKeys(context: BrowserContext, home: string): Promise<string[]> {
  const page = await context.newPage();
  const session = await context.newCDPSession(page);
  await session.send("Emulation.setCPUThrottlingRate", { rate: slowness });
  await page.setViewportSize({ width: 1280, height: 900 });
  const problems: string[] = [];
  for (const [what, reach] of Object.entries(ways)) {
    try {
      await openPage(page, home);
      await reach(page);
    } catch (error) {
      const [reason] = (error as Error).message.split("\n");
      problems.push(`the keyboard does not reach ${what}: ${reason}`);
    }
  }
  await page.close();
  return problems;
}

const ways: Readonly<Record<string, (page: Page) => Promise<void>>> = {
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

async function tabTo(page: Page, selector: string, presses: number): Promise<void> {
  for (let press = 0; press < presses; press++) {
    await page.keyboard.press("Tab");
    if (await page.evaluate(`document.activeElement.matches(${JSON.stringify(selector)})`)) return;
  }
  throw new Error(`${presses} times Tab`);
}

async function readPages(
  context: BrowserContext,
  addresses: readonly string[],
  origin: string,
): Promise<string[]> {
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
      for (const width of widths) problems.push(...(await readAt(page, width, address)));
    } catch (error) {
      problems.push(`${address} can't be read: ${(error as Error).message.split("\n")[0]}`);
    }
  }
  return problems;
}

/**
 * Opens a page of the book, and waits until it is mounted. Before that, no key is handled, and texts that only the browser
 * adds, such as the name of the switch to a dark page, are missing.
 */
async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
}

async function readAt(page: Page, width: number, address: string): Promise<string[]> {
  const problems: string[] = [];
  await page.setViewportSize({ width, height: 900 });
  for (const scheme of ["light", "dark"]) {
    await page.evaluate(`document.documentElement.classList.toggle("dark", ${scheme === "dark"})`);
    const where = `${address} (${width} px, ${scheme})`;
    const overflow = await page.evaluate("document.documentElement.scrollWidth - innerWidth");
    if (Number(overflow) > 0) problems.push(`${where} is ${Number(overflow)} px too wide`);
    for (const violation of await page.evaluate<Violation[]>(judge(scheme)))
      problems.push(
        `${where}: ${violation.help}: ${violation.nodes.map(({ html }) => html.slice(0, 120)).join(" ")}`,
      );
  }
  return problems;
}

/** Runs axe on the page. On dark pages it checks only colours, since nothing else differs. */
function judge(scheme: string): string {
  const runOnly = scheme === "dark" ? ["color-contrast"] : undefined;
  const options = JSON.stringify({ resultTypes: ["violations"], runOnly });
  return `axe.run(${options}).then(({ violations }) => violations)`;
}

interface Violation {
  readonly help: string;
  readonly nodes: readonly { readonly html: string }[];
}
