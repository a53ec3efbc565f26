// The script of pages with text to copy, or long lists.
import { offerCopies, offerFilters } from "./page.ts";

offerCopies(document);
offerFilters();
