// The script of pages with text to copy, long lists, or citations.
import { offerCopies, offerFilters } from "./page.ts";
import { offerPreviews } from "./previews.ts";

offerCopies(document);
offerFilters();
offerPreviews();
