import { create } from "./stories/create.js";
import { customResources } from "./stories/custom-resources.js";
import { deletion } from "./stories/deletion.js";
import { errors } from "./stories/errors.js";
import { lists } from "./stories/lists.js";
import { patches } from "./stories/patches.js";
import { serverSideApply } from "./stories/server-side-apply.js";
import { updates } from "./stories/updates.js";
import { watches } from "./stories/watches.js";
import { workloads } from "./stories/workloads.js";
/** All stories by the file that holds their recorded answers. */
export const chapters = {
    create,
    updates,
    patches,
    "server-side-apply": serverSideApply,
    deletion,
    lists,
    watches,
    errors,
    "custom-resources": customResources,
    workloads,
};
