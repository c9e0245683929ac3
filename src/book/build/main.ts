import { buildBook } from "./build-book.ts";

await buildBook();
