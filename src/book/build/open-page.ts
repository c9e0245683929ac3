import type { Page } from "playwright-core";

/**
 * Opens a page of the book, and waits until it is mounted, however busy the machine is: before that nothing
 * listens to a key, and what only the browser knows, such as the name of the switch to a dark page, is missing.
 */
export async function openPage(page: Page, address: string): Promise<void> {
  await page.goto(address, { waitUntil: "networkidle" });
  await page.waitForFunction("document.querySelector('#app').__vue_app__ !== undefined");
}
