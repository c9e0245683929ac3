import { mkdirSync } from "node:fs";
import { join } from "node:path";
import axe from "axe-core";
import { type Browser, chromium, type Page } from "playwright-core";

/** A page in a browser, with what went wrong on it. */
export interface OpenPage {
  readonly page: Page;
  /** Errors of scripts, and requests to others than the page's own server. */
  readonly problems: readonly string[];
  /** axe's findings, in light and dark, and elements that nobody can scroll to. */
  readonly judge: () => Promise<string[]>;
  /** Keeps a picture for people, if `PAGE_PICTURES` names a folder. */
  readonly picture: (name: string) => Promise<void>;
  readonly close: () => Promise<void>;
}

/** Opens an address in a Chromium of its own. */
export async function openPage(program: string, address: string): Promise<OpenPage> {
  const browser: Browser = await chromium.launch({ executablePath: program, args: ["--no-sandbox"] });
  const page = await browser.newPage({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
  const problems: string[] = [];
  const { origin } = new URL(address);
  page.on("console", (message) => {
    // The browser tells of each refused action, too, which the page explains.
    if (message.type() === "error" && !message.location().url.includes("/actions/"))
      problems.push(message.text());
  });
  page.on("pageerror", (error) => problems.push(error.message));
  page.on("request", (request) => {
    if (!request.url().startsWith(`${origin}/`) && !request.url().startsWith("data:"))
      problems.push(`requests ${request.url()}`);
  });
  await page.goto(address);
  const pictures = process.env["PAGE_PICTURES"];
  return {
    page,
    problems,
    judge: async () => {
      const found: string[] = [];
      for (const colorScheme of ["light", "dark"] as const) {
        await page.emulateMedia({ colorScheme });
        // The page's own policy lets no other scripts in.
        const { violations } = await page.evaluate<Verdict>(`${axe.source}; axe.run()`);
        found.push(
          ...violations.map(
            ({ id, nodes }) => `${colorScheme}: ${id}: ${nodes.map(({ html }) => html).join(" ")}`,
          ),
        );
      }
      await page.emulateMedia({ colorScheme: "light" });
      // Nothing scrolls there: a list that is too long for it must scroll itself, and draw no rows that nobody sees.
      const cutOff = await page.evaluate<number>(
        "(({ scrollHeight, clientHeight }) => scrollHeight - clientHeight)(document.querySelector('main'))",
      );
      if (cutOff > 0) found.push(`the lowest ${cutOff} px of the view can't be reached`);
      return found;
    },
    picture: async (name) => {
      if (pictures === undefined) return;
      mkdirSync(pictures, { recursive: true });
      await page.screenshot({ path: join(pictures, `${name}.png`) });
    },
    close: () => browser.close(),
  };
}

interface Verdict {
  readonly violations: readonly {
    readonly id: string;
    readonly nodes: readonly { readonly html: string }[];
  }[];
}
