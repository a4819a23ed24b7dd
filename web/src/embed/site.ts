/** Where the site lies: this code may be in its root (the script that hosts name) or in assets/ (a shared part). */
export const siteUrl: URL | null = new URL(import.meta.url.includes('/assets/') ? '../' : './', import.meta.url);
