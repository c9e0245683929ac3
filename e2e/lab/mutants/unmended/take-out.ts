import { register } from "node:module";

// Imported before all else by a process that is to run without some mends.
register("./load-without.ts", import.meta.url);
