import type { DetailedHTMLProps, HTMLAttributes } from 'react';

/** The attributes of <which-gpu>, beside those of every element. */
export interface WhichGpuAttributes extends DetailedHTMLProps<HTMLAttributes<HTMLElement>, HTMLElement> {
  scenario?: string;
  view?: 'answer' | 'table' | 'compare';
  gpus?: string;
  theme?: 'auto' | 'light' | 'dark';
  locale?: 'en' | 'es';
  site?: string;
}

declare module 'react' {
  namespace JSX {
    interface IntrinsicElements {
      'which-gpu': WhichGpuAttributes;
    }
  }
}
