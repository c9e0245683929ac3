import { findBinaries } from "./control-plane-binaries.ts";

/** Builds the real control plane into the cache, so that `npm run lab -- real` finds it. */
const binaries = findBinaries();
console.log("folder" in binaries ? `control plane: ${binaries.folder}` : `left out: ${binaries.missing}`);
