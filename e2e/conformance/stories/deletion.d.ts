import { type Story } from "../story.ts";
export declare const deletion: readonly Story[];
