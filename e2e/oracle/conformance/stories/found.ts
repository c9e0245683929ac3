import { readFileSync } from "node:fs";
import type { Story } from "../story.ts";

/** Where `npm run lab -- differential --keep` puts the stories that it found. */
export const foundFile = new URL("found.json", import.meta.url);

/** Stories that the random comparison of both servers found, each shrunk to the requests that show a difference. */
export const found = JSON.parse(readFileSync(foundFile, "utf8")) as readonly Story[];
