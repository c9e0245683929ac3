import { main } from "./main.ts";

// Runs the CLI without building it, for tests.
await main(process.argv.slice(2));
