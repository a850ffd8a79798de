// How an application on Go's standard library reads a request. Frames are those of frames.py.
package main

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"encoding/json"
	"encoding/xml"
	"io"
	"net/http"
	"os"
	"strings"
)

type fields struct{ out bytes.Buffer }

func (f *fields) add(place byte, name, value string) {
	f.out.WriteByte(place)
	for _, text := range []string{name, value} {
		binary.Write(&f.out, binary.BigEndian, uint32(len(text)))
		f.out.WriteString(text)
	}
}

func (f *fields) tree(value any) {
	switch value := value.(type) {
	case map[string]any:
		for name, below := range value {
			f.add('n', "", name)
			f.tree(below)
		}
	case []any:
		for _, below := range value {
			f.tree(below)
		}
	case string:
		f.add('j', "", value)
	}
}

func (f *fields) read(raw []byte) {
	request, err := http.ReadRequest(bufio.NewReader(bytes.NewReader(raw)))
	if err != nil {
		return
	}
	f.add('P', "", request.URL.Path)
	for name, values := range request.Header {
		for _, value := range values {
			f.add('h', name, value)
		}
	}
	for _, cookie := range request.Cookies() {
		f.add('c', cookie.Name, cookie.Value)
	}
	for name, values := range request.URL.Query() {
		for _, value := range values {
			f.add('q', name, value)
		}
	}
	body, err := io.ReadAll(request.Body)
	if err != nil || len(body) == 0 {
		return
	}
	if request.Header.Get("Content-Encoding") == "gzip" {
		reader, err := gzip.NewReader(bytes.NewReader(body))
		if err != nil {
			return
		}
		if body, err = io.ReadAll(io.LimitReader(reader, 1<<20)); err != nil {
			return
		}
	}
	f.body(request, body)
}

func (f *fields) body(request *http.Request, body []byte) {
	// A decoder takes the first value of a stream, whatever type the message declares.
	var value any
	if json.NewDecoder(bytes.NewReader(body)).Decode(&value) == nil {
		f.tree(value)
	}
	if strings.Contains(request.Header.Get("Content-Type"), "xml") {
		f.markup(body)
	}
	request.Body = io.NopCloser(bytes.NewReader(body))
	request.ParseMultipartForm(1 << 20)
	for name, values := range request.PostForm {
		for _, value := range values {
			f.add('f', name, value)
		}
	}
	if request.MultipartForm == nil {
		return
	}
	for name, values := range request.MultipartForm.Value {
		f.add('n', "", name)
		for _, value := range values {
			f.add('f', name, value)
		}
	}
	for name, files := range request.MultipartForm.File {
		f.add('n', "", name)
		for _, file := range files {
			f.add('F', name, file.Filename)
			for key, values := range file.Header {
				for _, value := range values {
					f.add('p', key, value)
				}
			}
		}
	}
}

func (f *fields) markup(body []byte) {
	decoder := xml.NewDecoder(bytes.NewReader(body))
	for {
		token, err := decoder.Token()
		if err != nil {
			return
		}
		switch token := token.(type) {
		case xml.StartElement:
			for _, attribute := range token.Attr {
				f.add('x', attribute.Name.Local, attribute.Value)
			}
		case xml.CharData:
			f.add('x', "", string(token))
		}
	}
}

func main() {
	in, out := bufio.NewReader(os.Stdin), bufio.NewWriter(os.Stdout)
	for {
		var size uint32
		if binary.Read(in, binary.BigEndian, &size) != nil {
			return
		}
		batch := make([]byte, size)
		if _, err := io.ReadFull(in, batch); err != nil {
			return
		}
		var answer bytes.Buffer
		for len(batch) >= 4 {
			length := binary.BigEndian.Uint32(batch)
			var f fields
			f.read(batch[4 : 4+length])
			batch = batch[4+length:]
			binary.Write(&answer, binary.BigEndian, uint32(f.out.Len()))
			answer.Write(f.out.Bytes())
		}
		binary.Write(out, binary.BigEndian, uint32(answer.Len()))
		out.Write(answer.Bytes())
		out.Flush()
	}
}
