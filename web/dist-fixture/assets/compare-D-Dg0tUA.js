import{D as e,E as t,T as n,a as r,g as i,h as a,l as o,m as s,n as c,o as l,r as u,s as d,t as f,w as p,x as m,y as h}from"./index-BDlFV6ew.js";var g=/^(per_gpu_gib|ttft_s|tpot_s|latency_s|step_s|hours|gpu_hours|seconds_per_image|usd_|joules|kwh|kg_|average_w)/;function _(e){let t=new Map,n=[e.memory,e.speed,e.training,e.vision,e.image_generation,e.hpc,e.cost,e.energy];for(let e of n)for(let[n,r]of Object.entries(e??{})){let e=r;typeof e==`object`&&e&&`value`in e&&typeof e.value==`number`&&p(`quantity.${n}`)&&t.set(n,e)}return t}var v=class extends l{render(){let{view:s,answer:l,details:d,index:p}=this.store.state,v=this.store.gpuMode,y=s.compare.flatMap(t=>{let n=o(l,t,v);if(!n)return[];let i=d.get(t);return[{key:t,row:n,name:r(p,n,v),quantities:i&&!e(i)?_(i):new Map}]}),b=[...new Set(y.flatMap(e=>[...e.quantities.keys()]))],x=y[0];return i`<section class="compare" aria-labelledby="compare-title">
      <header>
        <h2 id="compare-title" tabindex="-1">${n(`compare.title`)}</h2>
        <button type="button" class="quiet boxed" @click=${()=>this.store.look({comparing:!1})}>${n(`compare.close`)}</button>
      </header>
      <div class="scroll" tabindex="0" role="region" aria-labelledby="compare-title">
        <table>
          <thead>
            <tr>
              <th scope="col">${n(`compare.what`)}</th>
              ${y.map(({row:e,name:n})=>i`<th scope="col">
                  ${n}
                  <span class="verdict" data-verdict=${e.verdict??`unknown`}>${u(e.verdict??`unknown`)}<span class="word">${t(`verdict`,e.verdict??`unknown`)}</span></span>
                  ${f(e)}
                </th>`)}
            </tr>
          </thead>
          <tbody>
            ${b.map(e=>{let r=y.map(t=>t.quantities.get(e)),o=r.flatMap(e=>e?[e.value]:[]),s=g.test(e)?Math.min(...o):Math.max(...o),l=r[0]?.value;return i`<tr>
                <th scope="row">${t(`quantity`,e)}</th>
                ${r.map((t,r)=>{let u=t!==void 0&&o.length>1&&t.value===s&&new Set(o).size>1;return i`<td class=${u?`best`:``}>
                    ${c(t,h(e),this.store.units)}
                    ${r>0&&t&&l?i`<span class="ratio">${n(`compare.ratio`,{ratio:m(t.value/l),name:x?.name??``})}</span>`:a}
                    ${u?i`<span class="sr">, ${n(`compare.best`)}</span>`:a}
                  </td>`})}
              </tr>`})}
          </tbody>
        </table>
      </div>
    </section>`}};v=d([s(`wg-compare`)],v);export{v as CompareView};